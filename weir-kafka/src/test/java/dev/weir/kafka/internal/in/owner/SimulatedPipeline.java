package dev.weir.kafka.internal.in.owner;

import static dev.weir.kafka.internal.in.owner.SimulatedWorld.require;

import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Pulls from a consumer's buffer and finishes records in random order. Confined to the simulation's thread. */
final class SimulatedPipeline {

    /** An element in the pipeline with pending acknowledgements. */
    private static final class Taken {
        final Batch<?> batch;
        final int index;
        final SimulatedLog log;
        final long offset;
        final int epoch;
        final int leaderEpoch;
        final int incarnation;
        int claims;
        boolean begun;
        boolean dropped;

        Taken(Batch<?> batch, int index, SimulatedLog log, ConsumerRecord<?, byte[]> record, int claims) {
            this.batch = batch;
            this.index = index;
            this.log = log;
            this.offset = record.offset();
            this.epoch = log.epoch;
            this.leaderEpoch = record.leaderEpoch().orElseThrow();
            this.incarnation = record.value()[0];
            this.claims = claims;
        }

        /** Marks the record as finished if it is still in the log. */
        void finish() {
            if (log.has(offset, leaderEpoch, incarnation)) {
                log.finish(offset, epoch);
            }
        }
    }

    final RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final SimulatedWorld world;
    private final Random random;
    private final List<Taken> inFlight = new ArrayList<>();

    boolean ended;

    SimulatedPipeline(SimulatedWorld world) {
        this.world = world;
        this.random = world.random;
    }

    void take() {
        if (world.abandoned || ended) {
            return;
        }
        Batch<Fetched> taken;
        try {
            taken = buffer.take(System.nanoTime() - 1, world.context.meter());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (taken == null) {
            ended = true;
            world.pipelineEnded();
            return;
        }
        Batch<ConsumerRecord<byte[], byte[]>> batch = Fetched.unwrap(taken);
        if (world.commitAhead > 0) {
            takeAhead(batch);
        } else {
            for (int i = 0; i < batch.size(); i++) {
                take(batch, i);
            }
        }
    }

    /** Like the source's stage, uses the first token for the whole batch. */
    private void takeAhead(Batch<ConsumerRecord<byte[], byte[]>> batch) {
        if (batch.isEmpty()) {
            return;
        }
        batch.ack(0);
        batch.retarget(target -> AckTarget.NONE);
        world.loop().taken();
        for (int i = 0; i < batch.size(); i++) {
            SimulatedLog log = log(batch.get(i));
            // Records committed ahead are emitted before a revocation, even from a paused partition.
            boolean goes = !log.owned || world.client.isInCallback();
            require(goes || !world.user.isPaused(log.id), () -> "emitted though it is paused: " + log.id);
            log.see(batch.get(i).offset());
        }
    }

    private void take(Batch<ConsumerRecord<byte[], byte[]>> batch, int i) {
        ConsumerRecord<byte[], byte[]> record = batch.get(i);
        SimulatedLog log = log(record);
        require(log.owned, () -> "emitted after it was taken away: " + record);
        require(!log.held, () -> "emitted while it is not known where to go on: " + record);
        require(!world.user.isPaused(log.id), () -> "emitted though it is paused: " + record);
        long expected = log.nextToEmit(log.nextToTake);
        require(
                log.doubtful || record.offset() == expected,
                () -> "expected " + log.id + "@" + expected + " got " + record.offset());
        require(!world.bounded || record.offset() < log.endAtStart, () -> "emitted past the end: " + record);
        log.taken(record.offset());
        int more = random.nextInt(10) == 0 ? 1 + random.nextInt(2) : 0;
        if (more > 0) {
            batch.target(i).retain(batch.token(i), more);
        }
        inFlight.add(new Taken(batch, i, log, record, 1 + more));
    }

    private SimulatedLog log(ConsumerRecord<byte[], byte[]> record) {
        return world.log(new TopicPartition(record.topic(), record.partition()));
    }

    void finishSome() {
        if (world.abandoned) {
            return;
        }
        for (int n = random.nextInt(40); n > 0 && !inFlight.isEmpty(); n--) {
            int at = random.nextInt(Math.min(inFlight.size(), random.nextInt(4) == 0 ? Integer.MAX_VALUE : 8));
            Taken taken = inFlight.get(at);
            if (!taken.begun && taken.batch.dropIfRevoked(taken.index)) {
                require(
                        !taken.log.owned || taken.epoch != taken.log.epoch || world.client.isInCallback(),
                        "dropped while owned");
                taken.dropped = true;
                if (--taken.claims == 0) {
                    inFlight.remove(at);
                }
                continue;
            }
            taken.begun = true;
            if (--taken.claims == 0) {
                inFlight.remove(at);
                if (!taken.dropped) {
                    taken.finish();
                }
            }
            taken.batch.ack(taken.index);
        }
    }

    /** Ends the pipeline. Its pending acknowledgements are all abandoned, or some stay pending forever. */
    void abandon() {
        boolean all = random.nextBoolean();
        for (Taken taken : inFlight) {
            taken.dropped = true;
            while (taken.claims > 0 && (all || random.nextInt(10) > 0)) {
                taken.claims--;
                taken.batch.target(taken.index).abandon(taken.batch.token(taken.index));
            }
        }
    }

    /** Returns whether the pipeline has a record from the partition's current assignment. */
    boolean holds(SimulatedLog log) {
        return inFlight.stream().anyMatch(taken -> taken.log == log && taken.epoch == log.epoch);
    }
}
