"""The system calls that Python needs by itself, and those that nobody makes by accident.

Each is given as name:x86-64:aarch64, with `-` where an architecture does not have it. What stands
in neither table fails with EPERM, so that a library that tries something newer first goes on.
"""

ALLOWED = """
read:0:63 write:1:64 futex:202:98 mmap:9:222 munmap:11:215 brk:12:214 fstat:5:80 newfstatat:262:79
lseek:8:62 close:3:57 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 stat:4:- lstat:6:-
statx:332:291 statfs:137:43 fstatfs:138:44 access:21:- faccessat:269:48 faccessat2:439:439
readlink:89:- readlinkat:267:78 getdents64:217:61 getcwd:79:17 chdir:80:49 fchdir:81:50 umask:95:166
dup:32:23 dup2:33:- dup3:292:24 pipe:22:- pipe2:293:59 sendfile:40:71 ftruncate:77:46 fsync:74:82
fdatasync:75:83 fallocate:285:47 unlink:87:- unlinkat:263:35 mkdir:83:- mkdirat:258:34 rmdir:84:-
rename:82:- renameat:264:38 renameat2:316:276 mremap:25:216 mprotect:10:226 madvise:28:233
membarrier:324:283 rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 sigaltstack:131:132
rt_sigpending:127:136 rt_sigtimedwait:128:137 rt_sigsuspend:130:133 restart_syscall:219:128
set_robust_list:273:99 get_robust_list:274:100 rseq:334:293 set_tid_address:218:96 exit:60:93
exit_group:231:94 sched_yield:24:124 sched_getaffinity:204:123 nanosleep:35:101
clock_nanosleep:230:115 clock_gettime:228:113 clock_getres:229:114 gettimeofday:96:169 time:201:-
times:100:153 getitimer:36:102 setitimer:38:103 alarm:37:- pause:34:- select:23:- pselect6:270:72
poll:7:- ppoll:271:73 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21 epoll_wait:232:-
epoll_pwait:281:22 eventfd2:290:19 getsockname:51:204 getsockopt:55:209 recvfrom:45:207
shutdown:48:210 getpid:39:172 getppid:110:173 gettid:186:178 getuid:102:174 geteuid:107:175
getgid:104:176 getegid:108:177 getresuid:118:148 getresgid:120:150 getgroups:115:158 getpgrp:111:-
getpgid:121:155 getsid:124:156 getrusage:98:165 getrlimit:97:163 sysinfo:99:179 uname:63:160
getrandom:318:278 getcpu:309:168 arch_prctl:158:-
"""

#: Allowed or not by what is asked of them: see `seccomp.py`.
DEPENDS = """
openat:257:56 clone:56:220 clone3:435:435 kill:62:129 tgkill:234:131 socket:41:198 socketpair:53:199
sendto:44:206 fcntl:72:25 ioctl:16:29 prlimit64:302:261
"""

FATAL = """
fork:57:- vfork:58:- execve:59:221 execveat:322:281 connect:42:203 bind:49:200 listen:50:201
accept:43:202 accept4:288:242 sendmsg:46:211 sendmmsg:307:269 tkill:200:130 rt_sigqueueinfo:129:138
rt_tgsigqueueinfo:297:240 pidfd_send_signal:424:424 pidfd_getfd:438:438 ptrace:101:117
process_vm_readv:310:270 process_vm_writev:311:271 unshare:272:97 setns:308:268 mount:165:40
umount2:166:39 pivot_root:155:41 chroot:161:51 open_tree:428:428 move_mount:429:429 fsopen:430:430
fsmount:432:432 mount_setattr:442:442 open_by_handle_at:304:265 keyctl:250:219 add_key:248:217
request_key:249:218 bpf:321:280 io_uring_setup:425:425 io_uring_enter:426:426
perf_event_open:298:241 userfaultfd:323:282 init_module:175:105 finit_module:313:273
delete_module:176:106 kexec_load:246:104 kexec_file_load:320:294 reboot:169:142 swapon:167:224
swapoff:168:225
"""

_COLUMNS = {"x86_64": 1, "aarch64": 2}


def knows(architecture: str) -> bool:
    return architecture in _COLUMNS


def numbers(table: str, architecture: str) -> dict[str, int]:
    """The calls of a table that this architecture has, in the table's order."""
    column = _COLUMNS[architecture]
    rows = [row.split(":") for row in table.split()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
