package dev.weir.bench.run;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts the processes of drivers, and ends those that run when the campaign is to stop. Thread-safe. */
final class DriverLauncher {
    private final DriverCatalog catalog;
    private final Set<DriverProcess> running = ConcurrentHashMap.newKeySet();

    private volatile boolean isStopped;

    DriverLauncher(DriverCatalog catalog) {
        this.catalog = catalog;
    }

    DriverCatalog.Entry entry(String driver) {
        return catalog.entry(driver);
    }

    /** A new process of that driver, the caller's to close. */
    DriverProcess start(String driver, int heapMegabytes, Path log) {
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
    void stop() {
        isStopped = true;
        running.forEach(DriverProcess::kill);
    }

    boolean isStopped() {
        return isStopped;
    }
}
