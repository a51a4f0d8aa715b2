package dev.weir.cli.pipe;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Counts written dead-letter records: a record counts when the sink acknowledges it. Confined to the stage's thread,
 * except for the acknowledgements, which any thread may send.
 */
final class DeadLetterCount implements Stage<ProducerRecord<byte[], byte[]>> {

    private final Stage<ProducerRecord<byte[], byte[]>> upstream;
    private final StageMeter meter;
    private final String topic;
    private final LongAdder written;

    /**
     * Creates a stage.
     *
     * @param topic the dead-letter topic
     * @param written counts the written dead-letter records
     */
    DeadLetterCount(Stage<ProducerRecord<byte[], byte[]>> upstream, StageMeter meter, String topic, LongAdder written) {
        this.upstream = upstream;
        this.meter = meter;
        this.topic = topic;
        this.written = written;
    }

    @Override
    public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) throws InterruptedException {
        Batch<ProducerRecord<byte[], byte[]>> batch = upstream.pull(deadlineNanos);
        if (batch == null) {
            return null;
        }
        meter.in(batch.size());
        meter.out(batch.size());
        if (!hasDeadLetter(batch)) {
            return batch;
        }
        Batch<ProducerRecord<byte[], byte[]>> counted = new Batch<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            ProducerRecord<byte[], byte[]> record = batch.get(i);
            AckTarget target = batch.target(i);
            counted.add(record, isDeadLetter(record) ? new Counted(target, written) : target, batch.token(i));
        }
        batch.release();
        return counted;
    }

    private boolean hasDeadLetter(Batch<ProducerRecord<byte[], byte[]>> batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (isDeadLetter(batch.get(i))) {
                return true;
            }
        }
        return false;
    }

    private boolean isDeadLetter(ProducerRecord<byte[], byte[]> record) {
        return record.topic().equals(topic);
    }

    @Override
    public void close() {
        upstream.close();
    }

    /** The target of a dead-letter record. Thread-safe. */
    private record Counted(AckTarget original, LongAdder written) implements AckTarget {

        @Override
        public void ack(long token) {
            written.increment();
            original.ack(token);
        }

        @Override
        public void retain(long token, int count) {
            original.retain(token, count);
        }

        @Override
        public void forgo(long token) {
            original.forgo(token);
        }

        @Override
        public void abandon(long token) {
            original.abandon(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            return original.dropIfRevoked(token);
        }

        @Override
        public boolean isRevoked(long token) {
            return original.isRevoked(token);
        }

        @Override
        public boolean standsFor(long token, AckTarget of, long ofToken) {
            return original.standsFor(token, of, ofToken);
        }

        @Override
        public String placeOf(long token) {
            return original.placeOf(token);
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            original.roots(token, visitor);
        }
    }
}
