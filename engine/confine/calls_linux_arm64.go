package confine

const (
	auditArch  = 0xc00000b7
	socketCall = 198
)

// setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr, fchmod,
// fchmodat, fchownat, fchown, utimensat, fchmodat2.
var pretended = []uint32{5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88, 452}

// umount2, mount, pivot_root, chroot, quotactl, acct, kexec_load, init_module,
// delete_module, clock_settime, ptrace, reboot, sethostname, setdomainname,
// settimeofday, adjtimex, swapon, swapoff, clock_adjtime, process_vm_writev,
// finit_module, bpf.
var refused = []uint32{39, 40, 41, 51, 60, 89, 104, 105, 106, 112, 117, 142, 161, 162, 170, 171, 224, 225, 266, 271, 273, 280}
