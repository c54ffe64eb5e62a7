package confine

const (
	auditArch  = 0xc000003e
	socketCall = 41
)

// chmod, fchmod, chown, fchown, lchown, utime, setxattr, lsetxattr, fsetxattr,
// removexattr, lremovexattr, fremovexattr, utimes, fchownat, futimesat, fchmodat,
// utimensat, fchmodat2.
var pretended = []uint32{90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280, 452}

// ptrace, pivot_root, adjtimex, chroot, acct, settimeofday, mount, umount2, swapon,
// swapoff, reboot, sethostname, setdomainname, init_module, delete_module, quotactl,
// clock_settime, kexec_load, clock_adjtime, process_vm_writev, finit_module, bpf.
var refused = []uint32{101, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 175, 176, 179, 227, 246, 305, 311, 313, 321}
