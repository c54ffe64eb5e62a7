module foray.test

go 1.25
