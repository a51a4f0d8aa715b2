package dev.weir.testkit.internal;

/** A broker that can be started and stopped repeatedly. Its owner calls it from one thread at a time. */
public sealed interface BrokerNode permits InProcessNode, ForkedNode {

    /** Returns when the broker serves clients. */
    void start();

    /** Stops the broker in order, or by force if it does not respond. Does nothing when it does not run. */
    void stop();

    /**
     * Ends the broker as quickly as possible, because its data are no longer needed. Does nothing when it does not run.
     */
    void discard();

    boolean isRunning();
}
