package dev.weir.cli.tune;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.Position;
import dev.weir.stream.RunningPipeline;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/**
 * Makes a pipeline read its events repeatedly, so that it has a backlog while it is tuned. A partition starts from its
 * beginning when less than half of its events are left. Runs on its own thread until it is closed.
 */
public final class EndlessEvents implements AutoCloseable {

    private static final Logger LOG = System.getLogger(EndlessEvents.class.getName());

    private static final long TICK_MILLIS = 100;
    private static final long CLOSE_SECONDS = 10;

    private final ConsumerHandle consumer;
    private final long half;
    private final Runnable eachTick;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-endless-events").factory());

    // Confined to its thread.
    private CompletableFuture<Void> seeking = CompletableFuture.completedFuture(null);
    private boolean failing;

    private EndlessEvents(ConsumerHandle consumer, long half, Runnable eachTick) {
        this.consumer = consumer;
        this.half = half;
        this.eachTick = eachTick;
    }

    /**
     * Creates an instance for the first consumer of {@code running}. Call {@link #start} to start its thread.
     *
     * @param eventsOfAPartition number of events per partition
     * @param eachTick run ten times a second, on the same thread
     */
    public static EndlessEvents of(RunningPipeline running, long eventsOfAPartition, Runnable eachTick) {
        ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
        return new EndlessEvents(consumer, Math.max(1, eventsOfAPartition / 2), eachTick);
    }

    public void start() {
        var ignored = thread.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            if (seeking.isDone()) {
                rewind();
            }
            eachTick.run();
            failing = false;
        } catch (Throwable e) {
            // Catch everything: a scheduled task that throws never runs again.
            if (!failing) {
                LOG.log(Level.WARNING, "the events are not read again", e);
            }
            failing = true;
        }
    }

    private void rewind() {
        Map<TopicPartition, Position> starts = new HashMap<>();
        for (PartitionSnapshot each : consumer.snapshot().partitions()) {
            if (each.lag() >= 0 && each.lag() < half) {
                starts.put(new TopicPartition(each.topic(), each.partition()), Position.beginning());
            }
        }
        if (!starts.isEmpty()) {
            // The seek fails if a partition has just been reassigned. A later tick seeks again.
            seeking = consumer.seek(starts).toCompletableFuture();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            boolean ignored = thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
