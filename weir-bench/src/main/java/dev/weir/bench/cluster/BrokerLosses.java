package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tracks which brokers of a campaign run: those that were forked can be lost by a plan and brought back, and are missed
 * when they end otherwise. Confined to one thread.
 */
public final class BrokerLosses {
    private final List<Broker> forked;
    private final Set<Integer> lost = new HashSet<>(); // by a plan, and not back
    private Runnable whenLost = () -> {};
    private int count;
    private long lostNanos; // processor time of those that were lost, before

    BrokerLosses(List<Broker> forked) {
        this.forked = forked;
    }

    /** Hears of each loss, when it has happened. */
    void whenLost(Runnable told) {
        whenLost = told;
    }

    /** Returns whether there is a broker of that id which can be lost: one in a process of the campaign. */
    public boolean canLose(int id) {
        return forked.stream().anyMatch(broker -> broker.id() == id);
    }

    private Broker broker(int id) {
        return forked.stream().filter(broker -> broker.id() == id).findFirst().orElseThrow();
    }

    /** Ends a broker by SIGKILL, whom nobody misses until {@link #bringBack}; returns the id that its process had. */
    public long lose(int id) {
        Broker broker = broker(id);
        long pid = broker.pid();
        lostNanos += cpuNanos(broker);
        lost.add(id);
        count++;
        broker.kill();
        whenLost.run();
        return pid;
    }

    /**
     * Starts a lost broker again; returns when it serves clients.
     *
     * @throws BenchException if it does not come up
     */
    public void bringBack(int id) {
        try {
            broker(id).start();
        } catch (KafkaClusterException e) {
            throw new BenchException("broker " + id + " did not come back: " + e.getMessage(), e);
        }
        lost.remove(id);
    }

    /** The number of times a broker was lost: its counts have begun anew since. */
    public int count() {
        return count;
    }

    /** Returns whether one is lost and not back. */
    boolean isAnyLost() {
        return !lost.isEmpty();
    }

    /**
     * Of brokers that are gone no driver's run says anything.
     *
     * @throws BenchException if one of those that were forked has ended
     */
    void requireOthers() {
        for (Broker broker : forked) {
            if (!broker.isRunning() && !lost.contains(broker.id())) {
                throw new BenchException("broker " + broker.id() + " has ended, whoever ended it; its log is "
                        + broker.logFile() + ". What is finished is kept, the rest can be resumed");
            }
        }
    }

    /** Returns whether all are there to be asked. */
    boolean hasAll() {
        return forked.stream().allMatch(Broker::isRunning);
    }

    /** Processor time of all of them so far. */
    long cpuNanos() {
        long sum = lostNanos;
        for (Broker broker : forked) {
            sum += lost.contains(broker.id()) ? 0 : cpuNanos(broker);
        }
        return sum;
    }

    private static long cpuNanos(Broker broker) {
        return ProcessHandle.of(broker.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
    }
}
