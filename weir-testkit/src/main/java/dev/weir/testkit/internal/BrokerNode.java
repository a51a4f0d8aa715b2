package dev.weir.testkit.internal;

/** One broker that can be started and stopped again and again. Its owner calls it from one thread at a time. */
public sealed interface BrokerNode permits InProcessNode, ForkedNode {

    /** Returns when the broker serves clients. */
    void start();

    /** Stops the broker in order; by force if it does not obey. Does nothing when it does not run. */
    void stop();

    /** Ends the broker as quickly as possible, because nobody will want its data. Does nothing when it does not run. */
    void discard();

    boolean isRunning();
}
