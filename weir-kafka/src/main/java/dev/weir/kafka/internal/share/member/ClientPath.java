package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.group.ShareFaults;
import dev.weir.kafka.internal.share.member.HeldLocks.Stretch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way over Kafka's own share consumers: several {@linkplain ShareConsumerThread share consumers}, which share a
 * pipeline. A share consumer's size is fixed, so another size is another share consumer: the new one begins before the
 * old one ends, if there is room for both. Guarded by its lock, but for whether it has joined.
 */
final class ClientPath implements SharePath {

    private static final Logger LOG = LoggerFactory.getLogger(ClientPath.class);

    /** Longer than anybody waits. */
    private static final Duration LONGEST = Duration.ofDays(365);

    /** The time a share consumer may need beyond the close's deadline: its last answers, and its goodbye. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    /** The time for which a refusal of the group counts. */
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ReentrantLock lock = new ReentrantLock();
    private final ShareConsumerThread.Setup setup;
    private final int maxLanes;
    private final List<ShareConsumerThread> running = new ArrayList<>();
    private final List<ShareConsumerThread> ending = new ArrayList<>();
    private final Map<TopicPartition, Long> lastHeld = new HashMap<>();
    private int made;
    private boolean stopped;

    /**
     * Stays: one share consumer is replaced by another all the time, and the new one may have nothing to ask for yet.
     */
    private volatile boolean joined;

    /** Share consumers that the group had places for when it refused one. */
    private int places = Integer.MAX_VALUE;

    private long refusedAtNanos;

    /**
     * Makes no client yet.
     *
     * @param maxLanes that may be there at once, those that end included
     */
    ClientPath(ShareConsumerThread.Setup setup, int maxLanes) {
        this.setup = setup;
        this.maxLanes = maxLanes;
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
        ShareConsumerThread lane = new ShareConsumerThread(
                setup, made++, plan.pollRecords(), plan.mode(), this::refused, () -> joined = true);
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
            ending.removeIf(ShareConsumerThread::hasEnded);
            setup.ready().lowWater(plan.pollRecords());
            while (running.size() > Math.max(1, plan.lanes())) {
                ShareConsumerThread other = otherThan(plan);
                retire(other == null ? running.getLast() : other);
            }
            if (System.nanoTime() - refusedAtNanos >= REFUSED_NANOS) {
                places = Integer.MAX_VALUE;
            }
            try {
                while (running.size() < plan.lanes() && hasRoom()) {
                    add(plan);
                }
                replaceOne(plan);
            } catch (KafkaException unmade) {
                LOG.warn("{}: no further lane can be made: {}", setup.name(), unmade.toString());
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom() {
        return running.size() + ending.size() < Math.min(maxLanes, places);
    }

    private @Nullable ShareConsumerThread otherThan(Plan plan) {
        for (ShareConsumerThread lane : running) {
            if (lane.pollRecords() != plan.pollRecords() || lane.mode() != plan.mode()) {
                return lane;
            }
        }
        return null;
    }

    /**
     * One at a time, so that the others carry the load. With room the new share consumer comes first, and the old one
     * goes at the next look; else the old one makes room.
     */
    private void replaceOne(Plan plan) {
        ShareConsumerThread other = otherThan(plan);
        if (other != null && hasRoom()) {
            add(plan);
        } else if (other != null && ending.isEmpty()) {
            retire(other);
        }
    }

    private void retire(ShareConsumerThread lane) {
        boolean ignored = running.remove(lane);
        lane.retire();
        ending.add(lane);
    }

    /**
     * The group has no place for a share consumer: the others go on, if it has taken any. On the share consumer's
     * thread, which ends.
     */
    private void refused(ShareConsumerThread lane, GroupMaxSizeReachedException full) {
        lock.lock();
        try {
            boolean ignored = running.remove(lane);
            if (running.isEmpty() && setup.counters().acquired.sum() == 0) {
                setup.onFailure().accept(ShareFaults.explained(full));
                return;
            }
            places = running.size();
            refusedAtNanos = System.nanoTime();
            LOG.warn(
                    "{}: the share group takes no more members, it stays with {} lanes for now: raise"
                            + " group.share.max.size of the brokers, or allow fewer lanes (ShareSettings.maxLanes) ({})",
                    setup.name(),
                    running.size(),
                    full.getMessage());
        } finally {
            lock.unlock();
        }
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
        List<ShareConsumerThread> all;
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
        awaitEnd(all, deadline);
        return all.stream().mapToInt(ShareConsumerThread::unfinished).sum();
    }

    /** An interrupt means now: what is not done goes back at once. */
    private void awaitEnd(List<ShareConsumerThread> all, long deadlineNanos) {
        long deadline = deadlineNanos;
        boolean interrupted = false;
        for (int i = 0; i < all.size(); ) {
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                if (!all.get(i).join(GRACE.plusNanos(left))) {
                    LOG.warn("{}: a lane has not ended {} after its time was over", setup.name(), GRACE);
                }
                i++;
            } catch (InterruptedException hurry) {
                interrupted = true;
                deadline = System.nanoTime();
                for (ShareConsumerThread lane : all) {
                    lane.close(deadline);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isJoined() {
        return joined;
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
            // What is done behind the first open one uses up locks as well.
            whole.forEach((partition, stretch) -> lastHeld.merge(partition, stretch.last(), Math::max));
            long widest = 0;
            for (Map.Entry<TopicPartition, Stretch> each : whole.entrySet()) {
                long last = lastHeld.getOrDefault(each.getKey(), each.getValue().last());
                widest = Math.max(widest, last - each.getValue().first() + 1);
            }
            return widest;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int lockMillis() {
        lock.lock();
        try {
            return running.stream()
                    .mapToInt(lane -> lane.held().lockMillis())
                    .max()
                    .orElse(0);
        } finally {
            lock.unlock();
        }
    }
}
