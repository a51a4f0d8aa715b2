package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.lean.BatchView;
import dev.weir.lean.BatchViewHandler;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads with one {@link LeanConsumer} on the owner thread. */
final class OwnReader implements LeanReader {

    private static final int MAX_WAIT_MILLIS = 1_000;

    private final LeanConsumer lean;

    /** Decompressed size of the records at which a poll ends. */
    private final int maxTurnBytes;

    private final FetchedMaker maker;

    private final List<@Nullable LeanPartition> byIndex = new ArrayList<>();

    // Created once, for use in every poll.
    private final RecordHandler eachRecord = this::take;
    private final BatchViewHandler eachBatch = this::take;
    private final @Nullable Duration[] waits = new Duration[MAX_WAIT_MILLIS + 1];

    private long turnBytes;

    OwnReader(LeanSettings settings, FetchedMaker maker) {
        this.lean = LeanConsumer.open(settings);
        this.maxTurnBytes = settings.maxFetchBytes();
        this.maker = maker;
    }

    @Override
    public void place(LeanPartition partition, StartAt start) {
        if (isPlaced(partition)) {
            lean.seek(partition.index, start);
            return;
        }
        int index = lean.assign(partition.id.topic(), partition.id.partition(), start);
        partition.index = index;
        while (byIndex.size() <= index) {
            byIndex.add(null);
        }
        byIndex.set(index, partition);
        if (partition.paused) {
            lean.pause(index);
        }
    }

    @Override
    public void remove(LeanPartition partition) {
        if (isPlaced(partition)) {
            lean.unassign(partition.index);
            byIndex.set(partition.index, null);
            partition.index = LeanPartition.NOWHERE;
        }
    }

    @Override
    public boolean isPlaced(LeanPartition partition) {
        return partition.index != LeanPartition.NOWHERE;
    }

    @Override
    public void pausedOrResumed(LeanPartition partition) {
        if (!isPlaced(partition)) {
            return;
        }
        if (partition.paused) {
            lean.pause(partition.index);
        } else {
            lean.resume(partition.index);
        }
    }

    @Override
    public int turn() {
        turnBytes = 0;
        try {
            return maker.poll(lean, eachRecord, eachBatch);
        } catch (PartitionException fault) {
            int index = lean.index(fault.topic(), fault.partition());
            LeanPartition partition = index < 0 ? null : byIndex.get(index);
            if (partition != null) {
                partition.failure = LeanFaults.asOfClient(partition.id, fault, lean, index);
            }
            return 1;
        }
    }

    private void take(RecordView record) {
        turnBytes += record.sizeBytes();
        if (turnBytes >= maxTurnBytes || maker.hasDecodedForLong()) {
            lean.endPoll();
        }
        Objects.requireNonNull(byIndex.get(record.index())).add(maker.make(record));
    }

    private void take(BatchView batch) {
        turnBytes +=
                maker.keep(Objects.requireNonNull(byIndex.get(batch.index())).records(), batch);
        if (turnBytes >= maxTurnBytes) {
            lean.endPoll();
        }
    }

    @Override
    public void await(long nanos) {
        int millis = Math.clamp(TimeUnit.NANOSECONDS.toMillis(nanos), 1, MAX_WAIT_MILLIS);
        Duration wait = waits[millis];
        if (wait == null) {
            wait = Duration.ofMillis(millis);
            waits[millis] = wait;
        }
        lean.await(wait);
    }

    @Override
    public void wakeup() {
        lean.wakeup();
    }

    @Override
    public long position(LeanPartition partition) {
        return lean.position(partition.index);
    }

    @Override
    public int leaderEpoch(LeanPartition partition) {
        return lean.leaderEpoch(partition.index);
    }

    @Override
    public long endOffset(LeanPartition partition) {
        return lean.endOffset(partition.index);
    }

    @Override
    public long throttledMillis() {
        return lean.throttledMillis();
    }

    @Override
    public BrokerContact contact(BrokerContact others) {
        return plus(others, lean.metrics());
    }

    static BrokerContact plus(BrokerContact others, LeanMetrics own) {
        return others.plus(own.fetches() + own.metadataRefreshes(), own.disconnects());
    }

    @Override
    public void close() {
        lean.close();
    }
}
