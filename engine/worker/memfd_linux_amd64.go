package worker

// memfdCreate is the number of memfd_create(2), which package syscall does not have.
const memfdCreate = 319
