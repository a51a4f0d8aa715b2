package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.Worker;
import dev.weir.bench.result.Campaign;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Starts driver processes at the places defined by the environment, and kills them when the campaign stops. A place is
 * this machine, an SSH host or a pod. Thread-safe, except {@link #open} and {@link #close}, which must be called by the
 * campaign's thread.
 */
public final class DriverLauncher implements AutoCloseable {
    /** The name of the generator's driver, which is not a library under test. */
    public static final String GENERATOR = "generator";

    /** The name of the driver for the network of a remote member. */
    static final String PROXY = "proxy";

    /** The name of the driver that reads the output of the driver under test. */
    public static final String READER = "reader";

    private static final Set<String> INSTRUMENTS = Set.of(GENERATOR, READER);

    /** The name of the setting that assigns processes to places. */
    public static final String WORKERS = Campaign.WORKERS;

    private final DriverCatalog catalog;
    private final BenchEnvironment environment;
    private final List<WorkerHost> hosts;
    private final Set<DriverProcess> running = ConcurrentHashMap.newKeySet();

    private volatile boolean isStopped;

    /** Launches drivers on this machine. */
    public DriverLauncher(DriverCatalog catalog) {
        this(catalog, BenchEnvironment.HERE);
    }

    public DriverLauncher(DriverCatalog catalog, BenchEnvironment environment) {
        this.catalog = catalog;
        this.environment = environment;
        this.hosts = environment.workers().stream()
                .map(worker -> new WorkerHost(worker, catalog.root(), this::isStopped))
                .toList();
    }

    public DriverCatalog.Entry entry(String driver) {
        return catalog.entry(driver);
    }

    /** Returns whether all processes run on this machine and therefore share its clock. */
    public boolean isHere() {
        return environment.isHere();
    }

    /**
     * Checks that all places can be used, and copies the missing files of these drivers to them.
     *
     * @param doing receives progress messages
     * @throws BenchException if a place cannot be used. The message contains the place's name, the command and its
     *     output. The launcher need not be closed in this case.
     */
    public void open(Collection<String> drivers, Consumer<String> doing) {
        List<String> classPaths = new ArrayList<>();
        drivers.forEach(driver -> classPaths.add(entry(driver).classPath()));
        if (!isHere()) {
            classPaths.add(entry(GENERATOR).classPath());
        }
        try {
            for (WorkerHost host : hosts) {
                if (!host.isHere()) {
                    doing.accept("looking at " + host.label());
                    host.open(classPaths);
                }
            }
        } catch (RuntimeException e) {
            try {
                close();
            } catch (BenchException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    /**
     * The names of the places where processes run, and facts about their machines, by name; empty if all processes run
     * on this machine.
     */
    public Map<String, String> described() {
        Map<String, String> described = new TreeMap<>();
        if (!isHere()) {
            described.put("environment.name", environment.name());
            described.put(WORKERS, environment.described());
            for (int i = 0; i < hosts.size(); i++) {
                String prefix = "worker." + (i + 1) + ".";
                hosts.get(i).facts().forEach((name, value) -> described.put(prefix + name, value));
            }
        }
        return described;
    }

    /**
     * Starts a process of that driver at one of the places for its role, which is driver or generator. Chooses the
     * place with the fewest running processes of that role, or the first such place if there are several. The caller
     * closes the process.
     */
    public DriverProcess start(String driver, int heapMegabytes, Path log) {
        running.removeIf(process -> !process.isAlive());
        Worker.Role role = INSTRUMENTS.contains(driver) ? Worker.Role.GENERATOR : Worker.Role.DRIVER;
        WorkerHost host = hosts.stream()
                .filter(each -> each.runs(role))
                .min(Comparator.comparingLong(each -> running.stream()
                        .filter(process -> process.runsAt(each) && process.isOf(role))
                        .count()))
                .orElseThrow(() -> new IllegalStateException("no worker runs " + driver));
        return start(driver, role, host, heapMegabytes, log);
    }

    DriverProcess startBeside(DriverProcess other, String driver, int heapMegabytes, Path log) {
        return start(driver, Worker.Role.DRIVER, other.host(), heapMegabytes, log);
    }

    private DriverProcess start(String driver, Worker.Role role, WorkerHost host, int heapMegabytes, Path log) {
        DriverProcess process = DriverProcess.start(
                driver, role, host, entry(driver), heapMegabytes, log, isHere() ? null : this::generators);
        running.add(process);
        // This thread adds the process, then reads isStopped. The stopping thread sets isStopped, then reads the set.
        // At least one of them kills the process.
        if (isStopped) {
            process.kill();
        }
        return process;
    }

    private Stream<DriverProcess> generators() {
        return running.stream().filter(process -> process.isOf(Worker.Role.GENERATOR) && process.isAlive());
    }

    /** Kills all running processes. Processes started later are killed immediately. */
    public void stop() {
        isStopped = true;
        running.forEach(DriverProcess::kill);
    }

    public boolean isStopped() {
        return isStopped;
    }

    /** Deletes the files and pods that the campaign created, at all places. */
    @Override
    public void close() {
        List<BenchException> failures = new ArrayList<>();
        for (WorkerHost host : hosts) {
            try {
                host.close();
            } catch (BenchException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }
}
