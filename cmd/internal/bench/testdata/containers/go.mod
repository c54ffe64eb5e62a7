module containers.test

go 1.26
