package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tracks which brokers of a campaign run: those that were forked can be lost by a plan and brought back, and are missed
 * when they end otherwise. Confined to one thread.
 */
public final class BrokerLosses {
    private final List<Broker> forked;
    private final Map<Integer, Long> lost = new HashMap<>(); // by a plan, and not back: processor time before
    private Runnable whenLost = () -> {};
    private int count;
    private long goneNanos; // processor time of processes that have ended

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
        return lose(id, Broker::kill);
    }

    /** Fills a broker's disk, of which it ends soon, and nobody misses it; returns the id of its process. */
    public long fillDisk(int id) {
        return lose(id, Broker::fillDisk);
    }

    private long lose(int id, Consumer<Broker> how) {
        Broker broker = broker(id);
        long pid = broker.pid();
        lost.put(id, cpuNanos(broker));
        count++;
        how.accept(broker);
        whenLost.run();
        return pid;
    }

    /**
     * Makes room on a broker's disk, and starts it again if it has ended; returns whether it had.
     *
     * @throws BenchException if it does not come up
     */
    public boolean emptyDisk(int id) {
        boolean hasEnded = !broker(id).isRunning();
        if (!hasEnded) {
            hasEnded = !repaired(broker(id));
        }
        if (hasEnded) {
            bringBack(id);
        } else {
            lost.remove(id);
        }
        return hasEnded;
    }

    /** Returns whether it still ran. */
    private static boolean repaired(Broker broker) {
        try {
            broker.repairDisk();
            return true;
        } catch (KafkaClusterException e) { // It is ending just now.
            broker.stop();
            return false;
        }
    }

    /** Lets each write of a broker take so much longer, until {@link #repairDisk}. */
    public void slowDisk(int id, Duration delay) {
        broker(id).slowDisk(delay);
    }

    /** Ends what {@link #slowDisk} began. */
    public void repairDisk(int id) {
        broker(id).repairDisk();
    }

    /** The id of a broker's process. */
    public long pid(int id) {
        return broker(id).pid();
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
        Long before = lost.remove(id);
        goneNanos += before == null ? 0 : before;
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
     * Fails if another broker is gone, because a run then says nothing about its driver.
     *
     * @throws BenchException if one of those that were forked has ended
     */
    void requireOthers() {
        for (Broker broker : forked) {
            if (!broker.isRunning() && !lost.containsKey(broker.id())) {
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
        long sum = goneNanos;
        for (Broker broker : forked) {
            Long before = lost.get(broker.id());
            sum += before != null ? before : cpuNanos(broker);
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
