package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.environment.Place;
import dev.weir.bench.environment.Worker;
import dev.weir.driver.NotedNumbers;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A place where processes run during a campaign. Opened, used and closed by one thread; {@link #signal} and
 * {@link #started} may be called by any thread.
 */
final class WorkerHost implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final Duration POD = Duration.ofMinutes(3);
    private static final Duration SIGNAL = Duration.ofSeconds(10);
    private static final Duration READING = Duration.ofSeconds(60);

    /** Time in seconds after which a pod ends if it was not deleted. */
    private static final String POD_SECONDS = "86400";

    /** Time in seconds without a message after which a remote process exits. */
    private static final int LEASE_SECONDS = 60;

    /** Largest number of simultaneous starts. By default, an SSH server refuses some of ten or more new connections. */
    private static final int MOST_STARTING = 5;

    private static final int LEAST_JAVA = 21;
    private static final Pattern JAVA = Pattern.compile("version \"(\\d+)");
    private static final String FACT = "weir:";

    // Prints facts about the machine. The value of a fact is empty if it cannot be determined.
    private static final String FACTS = """
            echo "weir:name=$(uname -n)"
            echo "weir:kernel=$(uname -srm)"
            echo "weir:cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null)"
            echo "weir:processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
            echo "weir:memory=$(sed -n 's/^MemTotal: *//p' /proc/meminfo 2>/dev/null)"
            echo "weir:load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null)"
            echo "weir:java=$("$0" -version 2>&1 | grep -v 'Picked up ' | head -n 1)"
            if [ -d "$1" ]; then echo "weir:home=$1"; fi
            """;

    // Raises the priority of the process before the JVM starts, because threads of a JVM inherit it. Has no effect if
    // permission or the renice command is missing.
    private static final List<String> GOING_FIRST =
            List.of("sh", "-c", "renice -n -10 -p $$ >/dev/null 2>&1; exec \"$@\"", "sh");

    // Sends a signal. Fails if the ID belongs to another program. A shell sends it, because slim images have kill only
    // as a shell builtin.
    private static final String KILL = """
            if [ -r "/proc/$1/cmdline" ] && ! grep -q weir.driver.place "/proc/$1/cmdline"; then
              echo "process $1 there is not a driver: java starts processes elsewhere; name another one by the key java" >&2
              exit 1
            fi
            kill -"$0" "$1\"""";

    private static final String FOLDER =
            "folder=$(mktemp -d \"${TMPDIR:-/tmp}/weir-bench-" + "X".repeat(6) + "\") && echo \"weir:$folder\"";

    // Halts the process, and resumes it after eleven minutes in case the harness is gone. The longest pause is one
    // minute shorter.
    private static final String STOP = KILL + """
             || exit 1
            {
              i=0
              while [ $i -lt 66 ]; do
                sleep 10
                kill -0 "$1" && { [ ! -e "/proc/$1/stat" ] || grep -q ') T ' "/proc/$1/stat"; } || exit 0
                i=$((i+1))
              done
              kill -CONT "$1"
            } </dev/null >/dev/null 2>&1 &
            """;

    private final Worker worker;
    private final Path root;
    private final BooleanSupplier isStopped;
    private final Place place;
    private final WorkerFiles files;
    private final Map<String, String> facts = new TreeMap<>();

    private final Semaphore starting = new Semaphore(MOST_STARTING);

    private boolean hasPod; // true if a pod was created
    private String scratch = ""; // remote folder, once created
    private int scratchFiles; // created so far

    /**
     * Creates a host that is not opened yet.
     *
     * @param root the local root folder of the checkout or archive
     */
    WorkerHost(Worker worker, Path root, BooleanSupplier isStopped) {
        this.worker = worker;
        this.root = root.toAbsolutePath().normalize();
        this.isStopped = isStopped;
        this.place = worker.place() instanceof Place.Pod pod && !worker.image().isEmpty()
                ? pod.named("weir-bench-" + UUID.randomUUID().toString().substring(0, 8))
                : worker.place();
        this.files = new WorkerFiles(place, isStopped);
    }

    boolean isHere() {
        return worker.isHere();
    }

    boolean runs(Worker.Role role) {
        return worker.roles().contains(role);
    }

    String label() {
        return place.label();
    }

    /** Facts about the machine, by name. Empty until the host is opened; always empty for this machine. */
    Map<String, String> facts() {
        return facts;
    }

    /**
     * Checks that the place can be reached and has the right Java version, and copies missing files to it. Creates the
     * pod first if the worker has an image.
     *
     * @param classPaths the local class paths of the drivers that will run there
     * @throws BenchException if the place cannot be used
     */
    void open(List<String> classPaths) {
        if (place instanceof Place.Here) {
            return;
        }
        if (!worker.image().isEmpty() && place instanceof Place.Pod pod) {
            make(pod);
        }
        String said = new PlaceCommand(
                        "cannot be reached", place, List.of("sh", "-c", FACTS, worker.java(), worker.home()), isStopped)
                .run(null, LOOK);
        said.lines().filter(line -> line.startsWith(FACT) && line.contains("=")).forEach(line -> {
            int equals = line.indexOf('=');
            facts.put(
                    line.substring(FACT.length(), equals),
                    line.substring(equals + 1).strip());
        });
        requireJava();
        requireHome();
        if (worker.home().isEmpty()) {
            files.copy(classPaths);
        }
    }

    private void requireJava() {
        String said = facts.getOrDefault("java", "");
        Matcher version = JAVA.matcher(said);
        if (!version.find() || Integer.parseInt(version.group(1)) < LEAST_JAVA) {
            throw new BenchException("worker at " + label() + ": " + worker.java() + " is not Java " + LEAST_JAVA
                    + " or later" + (said.isEmpty() ? "" : ", it says: " + said) + "; name another by its key java");
        }
    }

    private void requireHome() {
        if (!worker.home().isEmpty() && !facts.containsKey("home")) {
            throw new BenchException("worker at " + label() + ": there is no folder " + worker.home()
                    + "; its key home names the same checkout or archive as here");
        }
    }

    private void make(Place.Pod pod) {
        hasPod = true;
        here(
                "no pod can be made",
                pod.kubectl(
                        "run",
                        pod.pod(),
                        "--image=" + worker.image(),
                        "--restart=Never",
                        "--labels=app.kubernetes.io/managed-by=weir-bench",
                        "--overrides={\"spec\":{\"activeDeadlineSeconds\":" + POD_SECONDS + "}}",
                        "--command",
                        "--",
                        "sleep",
                        POD_SECONDS),
                LOOK);
        here(
                "its pod does not start",
                pod.kubectl("wait", "--for=condition=Ready", "pod/" + pod.pod(), "--timeout=" + POD.toSeconds() + "s"),
                POD.plus(LOOK));
    }

    private void here(String doing, List<String> command, Duration patience) {
        var unused = new PlaceCommand(doing, label(), command, isStopped).run(null, patience);
    }

    /**
     * Waits until fewer than {@link #MOST_STARTING} processes are starting. The caller must call {@link #started} when
     * the new process has started or failed, on any thread.
     *
     * @throws RunFailure if the processes being started are not ready in time
     */
    void starts() {
        if (isHere()) {
            return;
        }
        try {
            if (!starting.tryAcquire(DriverSession.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new RunFailure("worker at " + label() + ": " + MOST_STARTING + " processes did not start for "
                        + DriverSession.PATIENCE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while processes were started at " + label(), e);
        }
    }

    void started() {
        if (!isHere()) {
            starting.release();
        }
    }

    /**
     * Returns the local command that starts a process at this place. A process on this machine uses the harness's
     * {@code java}. A generator gets a higher priority if permitted.
     */
    List<String> command(String driver, Worker.Role role, DriverCatalog.Entry entry, int heapMegabytes) {
        List<String> java = new ArrayList<>(role == Worker.Role.GENERATOR ? GOING_FIRST : List.of());
        java.add(javaProgram());
        java.addAll(List.of(
                "-Xms" + heapMegabytes + "m",
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr"));
        if (isHere()) {
            java.addAll(compilerLimits());
        } else {
            java.add("-Dweir.driver.place=" + worker.label()); // the worker's name in figures
            java.add("-Dweir.driver.lease.seconds=" + LEASE_SECONDS);
            java.add("-Dweir.driver.clock.ahead.millis=" + worker.clockAheadMillis());
        }
        java.addAll(List.of("-cp", classPath(entry.classPath()), entry.mainClass(), driver));
        // Ctrl-C signals the process group, but the harness decides when a driver ends.
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        command.addAll(place.command(java));
        return command;
    }

    private String javaProgram() {
        return place instanceof Place.Here
                ? Path.of(System.getProperty("java.home"), "bin", "java").toString()
                : worker.java();
    }

    /** Returns this JVM's option that limits the JIT compilers, for drivers on this machine. */
    private static List<String> compilerLimits() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
                .toList();
    }

    private String classPath(String here) {
        if (place instanceof Place.Here) {
            return here;
        }
        return worker.home().isEmpty()
                ? files.there(here)
                : Stream.of(here.split(File.pathSeparator, -1))
                        .map(each -> inHome(Path.of(each).toAbsolutePath().normalize()))
                        .collect(Collectors.joining(":"));
    }

    private String inHome(Path file) {
        return file.startsWith(root)
                ? worker.home() + "/" + root.relativize(file).toString().replace(File.separatorChar, '/')
                : file.toString();
    }

    /**
     * Returns the name of a new file at this place. The file's folder is deleted at the end of the campaign.
     *
     * @throws BenchException if the folder cannot be created
     */
    String newFile() {
        if (scratch.isEmpty()) {
            scratch = new PlaceCommand("no folder can be made", place, List.of("sh", "-c", FOLDER), () -> false)
                    .run(null, SIGNAL)
                    .lines()
                    .filter(line -> line.startsWith(FACT + "/"))
                    .map(line -> line.substring(FACT.length()))
                    .findFirst()
                    .orElseThrow(
                            () -> new BenchException("worker at " + label() + ": it did not name the folder it made"));
        }
        scratchFiles++;
        return scratch + "/" + scratchFiles;
    }

    /**
     * Returns a supplier that reads the numbers noted by a killed process at this place. The supplier may be called
     * once, on any thread, and throws a {@link BenchException} if the file cannot be read.
     */
    Supplier<NotedNumbers> noted(DriverCatalog.Entry entry, String file, int partitions, long records) {
        PlaceCommand command = new PlaceCommand(
                "what a killed process had noted cannot be read",
                place,
                List.of(
                        javaProgram(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(entry.classPath()),
                        NotedNumbers.class.getName(),
                        file,
                        Integer.toString(partitions),
                        Long.toString(records)),
                isStopped);
        return () -> {
            try {
                return NotedNumbers.printed(command.run(null, READING));
            } catch (IllegalArgumentException e) {
                throw new BenchException("worker at " + label() + ": " + e.getMessage(), e);
            }
        };
    }

    void signal(String signal, long pid) {
        var unused = new PlaceCommand(
                        "SIG" + signal + " could not be sent",
                        place,
                        List.of("sh", "-c", signal.equals("STOP") ? STOP : KILL, signal, Long.toString(pid)),
                        () -> false)
                .run(null, SIGNAL);
    }

    private void deleteScratch() {
        try {
            var unused = new PlaceCommand(
                            "a folder cannot be deleted", place, List.of("rm", "-rf", "--", scratch), () -> false)
                    .run(null, SIGNAL);
        } catch (BenchException ignored) { // The folder is temporary.
        }
        scratch = "";
    }

    /** Deletes the pod if one was created, otherwise the folder for files if there is one. */
    @Override
    public void close() {
        if (!scratch.isEmpty() && !hasPod) {
            deleteScratch();
        }
        if (hasPod && place instanceof Place.Pod pod) {
            hasPod = false;
            var unused = new PlaceCommand(
                            "its pod cannot be deleted",
                            label(),
                            pod.kubectl("delete", "pod", pod.pod(), "--ignore-not-found", "--wait=false"),
                            () -> false)
                    .run(null, LOOK);
        }
    }
}
