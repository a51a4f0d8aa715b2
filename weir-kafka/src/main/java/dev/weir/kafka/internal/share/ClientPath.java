package dev.weir.kafka.internal.share;

import dev.weir.kafka.internal.share.Held.Stretch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private final LaneSetup setup;
    private final List<Lane> running = new ArrayList<>();
    private final List<Lane> ending = new ArrayList<>();
    private int made;
    private boolean stopped;

    ClientPath(LaneSetup setup) {
        this.setup = setup;
    }

    @Override
    public synchronized void start(Plan plan) {
        add(plan);
        follow(plan);
    }

    private void add(Plan plan) {
        Lane lane = new Lane(setup, made++, plan.pollRecords(), plan.mode());
        running.add(lane);
        lane.start();
    }

    @Override
    public synchronized void follow(Plan plan) {
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
    public synchronized void stop() {
        stopped = true;
        setup.ready().end();
    }

    @Override
    public int close(Duration patience) {
        List<Lane> all;
        long deadline = System.nanoTime() + Math.min(patience.toNanos(), Long.MAX_VALUE / 4);
        synchronized (this) {
            stop();
            all = new ArrayList<>(running);
            all.addAll(ending);
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
    public synchronized int lanes() {
        return running.size();
    }

    @Override
    public synchronized long widestSpan() {
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
    }

    @Override
    public synchronized int lockMillis() {
        return running.stream().mapToInt(Lane::lockMillis).max().orElse(0);
    }
}
