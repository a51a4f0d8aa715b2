package dev.weir.kafka.internal.share;

import dev.weir.kafka.internal.share.Held.Stretch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way over Kafka's own share consumers: several {@linkplain Lane lanes}, which share a pipeline. A lane's size is fixed,
 * so another size is another lane: the new one begins before the old one ends. Guarded by its lock.
 */
final class ClientPath implements SharePath {

    private static final Logger LOG = LoggerFactory.getLogger(ClientPath.class);

    /** Longer than anybody waits. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private final ReentrantLock lock = new ReentrantLock();
    private final LaneSetup setup;
    private final List<Lane> running = new ArrayList<>();
    private final List<Lane> ending = new ArrayList<>();
    private int made;
    private boolean stopped;

    ClientPath(LaneSetup setup) {
        this.setup = setup;
    }

    @Override
    public void start(Plan plan) {
        lock.lock();
        try {
            add(plan);
            follow(plan);
        } finally {
            lock.unlock();
        }
    }

    private void add(Plan plan) {
        Lane lane = new Lane(setup, made++, plan.pollRecords(), plan.mode());
        running.add(lane);
        lane.start();
    }

    @Override
    public void follow(Plan plan) {
        lock.lock();
        try {
            if (stopped) {
                return;
            }
            ending.removeIf(Lane::hasEnded);
            setup.ready().lowWater(plan.pollRecords());
            try {
                replaceOne(plan);
                while (running.size() < plan.lanes()) {
                    add(plan);
                }
            } catch (KafkaException refused) {
                LOG.warn("{}: no further lane can be made: {}", setup.name(), refused.toString());
            }
            while (running.size() > Math.max(1, plan.lanes())) {
                retire(running.removeLast());
            }
        } finally {
            lock.unlock();
        }
    }

    /** One at a time, so that the others carry the load. */
    private void replaceOne(Plan plan) {
        for (Lane lane : running) {
            if (lane.pollRecords() != plan.pollRecords() || lane.mode() != plan.mode()) {
                add(plan);
                running.remove(lane);
                retire(lane);
                return;
            }
        }
    }

    private void retire(Lane lane) {
        lane.retire();
        ending.add(lane);
    }

    @Override
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            setup.ready().end();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int close(Duration patience) {
        List<Lane> all;
        long patienceNanos = patience.compareTo(LONGEST) < 0 ? patience.toNanos() : LONGEST.toNanos();
        long deadline = System.nanoTime() + patienceNanos;
        lock.lock();
        try {
            stop();
            all = new ArrayList<>(running);
            all.addAll(ending);
        } finally {
            lock.unlock();
        }
        all.forEach(lane -> lane.close(deadline));
        int unfinished = 0;
        boolean interrupted = false;
        for (Lane lane : all) {
            try {
                lane.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
            unfinished += lane.unfinished();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return unfinished;
    }

    @Override
    public int lanes() {
        lock.lock();
        try {
            return running.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long widestSpan() {
        lock.lock();
        try {
            Map<TopicPartition, Stretch> whole = new HashMap<>();
            running.forEach(lane -> lane.held()
                    .stretches()
                    .forEach((partition, of) -> whole.merge(
                            partition,
                            of,
                            (a, b) -> new Stretch(Math.min(a.first(), b.first()), Math.max(a.last(), b.last())))));
            return whole.values().stream()
                    .mapToLong(stretch -> stretch.last() - stretch.first() + 1)
                    .max()
                    .orElse(0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int lockMillis() {
        lock.lock();
        try {
            return running.stream().mapToInt(Lane::lockMillis).max().orElse(0);
        } finally {
            lock.unlock();
        }
    }
}
