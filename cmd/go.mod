module foray.test/cmd

go 1.26

require foray.test v0.0.0

replace foray.test => ../
