package dev.weir.bench.process;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts the processes of drivers, and ends those that run when the campaign is to stop. Thread-safe. */
public final class DriverLauncher {
    private final DriverCatalog catalog;
    private final Set<DriverProcess> running = ConcurrentHashMap.newKeySet();

    private volatile boolean isStopped;

    public DriverLauncher(DriverCatalog catalog) {
        this.catalog = catalog;
    }

    public DriverCatalog.Entry entry(String driver) {
        return catalog.entry(driver);
    }

    /** A new process of that driver, the caller's to close. */
    public DriverProcess start(String driver, int heapMegabytes, Path log) {
        running.removeIf(process -> !process.isAlive());
        DriverProcess process = DriverProcess.start(driver, entry(driver), heapMegabytes, log);
        running.add(process);
        // Either whoever stops sees this process, or this thread sees the stop.
        if (isStopped) {
            process.kill();
        }
        return process;
    }

    /** Kills what runs, and what is started from now on. */
    public void stop() {
        isStopped = true;
        running.forEach(DriverProcess::kill);
    }

    public boolean isStopped() {
        return isStopped;
    }
}
