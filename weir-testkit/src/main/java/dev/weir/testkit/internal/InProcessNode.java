package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.server.fault.FaultHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker in this JVM. Its owner calls it from one thread at a time. */
public final class InProcessNode implements BrokerNode {
    private static final Logger LOG = LoggerFactory.getLogger(InProcessNode.class);

    private final int id;
    private final Map<String, String> settings;
    private final Path logFile;
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    private volatile @Nullable ServerNode server;

    public InProcessNode(int id, Map<String, String> settings, Path logFile) {
        this.id = id;
        this.settings = Map.copyOf(settings);
        this.logFile = logFile;
    }

    @Override
    public void start() {
        ExitGuard.acquire();
        faults.clear();
        ServerNode starting = null;
        try {
            starting = new ServerNode(settings, (name, fatal, action) -> faultHandler(name, action));
            starting.start();
            server = starting;
        } catch (Throwable e) {
            stopAfterFailure(starting, e);
            throw failure(e);
        }
    }

    private void stopAfterFailure(@Nullable ServerNode starting, Throwable cause) {
        try {
            if (starting != null) {
                starting.stop();
            }
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        } finally {
            ExitGuard.release();
        }
    }

    private KafkaClusterException failure(Throwable cause) {
        KafkaClusterException failure = new KafkaClusterException(
                "broker " + id + " did not start: " + cause.getMessage() + "; see " + logFile, cause);
        faults.stream().filter(fault -> !fault.equals(cause)).forEach(failure::addSuppressed);
        return failure;
    }

    /**
     * Returns a handler for faults that would terminate the process. It records the fault and returns an exception for
     * the server to throw.
     */
    private FaultHandler faultHandler(String name, Runnable action) {
        return (message, cause) -> {
            RuntimeException fault = new IllegalStateException("broker " + id + ", " + name + ": " + message, cause);
            LOG.error("fault in broker {}", id, fault);
            faults.add(fault);
            action.run();
            return fault;
        };
    }

    @Override
    public void stop() {
        ServerNode running = server;
        if (running == null) {
            return;
        }
        server = null;
        try {
            running.stop();
        } finally {
            ExitGuard.release();
        }
    }

    @Override
    public void discard() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return server != null;
    }
}
