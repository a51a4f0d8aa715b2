package dev.weir.testkit.internal;

/** A broker that can be started and stopped repeatedly. Its owner calls it from one thread at a time. */
public sealed interface BrokerNode permits InProcessNode, ForkedNode {

    /** Starts the broker. Returns when the broker serves clients. */
    void start();

    /** Shuts the broker down gracefully, or forcibly if it does not respond. Does nothing if it is not running. */
    void stop();

    /**
     * Stops the broker as quickly as possible, because its data is no longer needed. Does nothing if it is not running.
     */
    void discard();

    boolean isRunning();
}
