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
 * Starts driver processes at the places of the environment, and kills them when the campaign stops. Thread-safe, except
 * for {@link #open} and {@link #close}, which belong to the campaign's thread.
 */
public final class DriverLauncher implements AutoCloseable {
    /** The name of the generator's driver, which is not a library under test. */
    public static final String GENERATOR = "generator";

    /** The name of the driver that acts as the network of a remote member. */
    static final String PROXY = "proxy";

    /** The name of the driver that reads the output of others, which is not a library under test. */
    public static final String READER = "reader";

    private static final Set<String> INSTRUMENTS = Set.of(GENERATOR, READER);

    /** Name of the setting that says which processes run where. */
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

    /** Returns whether all processes are of this machine and know its clock. */
    public boolean isHere() {
        return environment.isHere();
    }

    /**
     * Checks that all places can be used, and copies missing files of these drivers.
     *
     * @param doing receives progress messages
     * @throws BenchException if one cannot be used, with its name, the command and its output; nothing has to be closed
     *     then
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

    /** The places of processes and their facts, by name; empty for this machine. */
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
     * A new process of that driver, the caller's to close, where the fewest of its kind run:
     * the first place of several.
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

    /** Starts a process at the place of another one. */
    DriverProcess startBeside(DriverProcess other, String driver, int heapMegabytes, Path log) {
        return start(driver, Worker.Role.DRIVER, other.host(), heapMegabytes, log);
    }

    private DriverProcess start(String driver, Worker.Role role, WorkerHost host, int heapMegabytes, Path log) {
        DriverProcess process = DriverProcess.start(
                driver, role, host, entry(driver), heapMegabytes, log, isHere() ? null : this::generators);
        running.add(process);
        // Either the stopping thread sees this process, or this thread sees the stop.
        if (isStopped) {
            process.kill();
        }
        return process;
    }

    private Stream<DriverProcess> generators() {
        return running.stream().filter(process -> process.isOf(Worker.Role.GENERATOR) && process.isAlive());
    }

    /** Kills all processes, present and future. */
    public void stop() {
        isStopped = true;
        running.forEach(DriverProcess::kill);
    }

    public boolean isStopped() {
        return isStopped;
    }

    /** Deletes what was made at places for the campaign, as far as that is possible. */
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
