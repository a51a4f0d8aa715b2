package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.out.client.WriteLoop;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.FailedElement;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Sends pulled records, and acknowledges an input when the brokers have its record; see {@link OrderedWriter}.
 */
final class ProducerLoop<T, K, V> extends WriteLoop<T> {

    /** The interval between checks for a stopped producer while outcomes are outstanding. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Minimum time that {@link #close} waits for outstanding records after a failure or a cancel. */
    private static final Duration HASTY_CLOSE = Duration.ofSeconds(2);

    private final Function<? super T, ProducerRecord<K, V>> records;
    private final WriteRule<T> rule;
    private final StageContext context;
    final OrderedWriter<T, K, V> writer;

    /**
     * Creates a loop, and opens its first producer.
     *
     * @param clients opens the first producer and each replacement; must not be shared
     * @param records creates the record of an element
     * @param rule handles elements that cannot be written
     * @param maxInFlight see {@link OrderedProducer}
     */
    ProducerLoop(
            OrderedWriter.Clients<K, V> clients,
            StageContext context,
            Function<? super T, ProducerRecord<K, V>> records,
            WriteRule<T> rule,
            TopicWatch watch,
            int maxInFlight) {
        super(context.meter());
        this.records = records;
        this.rule = rule;
        this.context = context;
        this.writer = new OrderedWriter<>(clients, context, context.meter(), rule, watch, maxInFlight, this::settled);
        context.depth(writer::depth);
    }

    @Override
    protected void send(Batch<T> batch) throws InterruptedException {
        writer.refresh(System.nanoTime());
        for (int i = 0; i < batch.size(); i++) {
            send(batch.get(i), batch.target(i), batch.token(i));
        }
        writer.awaitWindow();
    }

    @Override
    protected void settle() throws InterruptedException {
        writer.settle();
    }

    @Override
    protected void finish() throws InterruptedException {
        writer.finish();
    }

    /** Fails the run if the writer has failed. Called by any thread, because this loop's thread may be waiting. */
    private void settled() {
        KafkaPipelineException failure = writer.failure();
        if (failure != null) {
            context.fail(failure);
        }
    }

    /** Returns the deadline of the next pull. It is near while records are outstanding, to handle a rejection soon. */
    @Override
    protected long deadlineNanos() {
        return rule.isFail() || writer.isQuiet() ? Stage.NEVER : context.clock().after(LOOK_NANOS);
    }

    private void send(T element, AckTarget target, long token) throws InterruptedException {
        ProducerRecord<K, V> record;
        try {
            record = records.apply(element);
        } catch (StackOverflowError | RuntimeException thrown) {
            if (rule.isFail()) {
                FailedElement.note(thrown, context.stageName(), target, token, element);
                throw thrown;
            }
            Exception refused = thrown instanceof Exception exception
                    ? exception
                    : new SerializationException("no record can be made of it", thrown);
            rule.add(element, refused, target, token);
            return;
        }
        RecordAnswer answer = rule.isFail()
                ? new RecordAnswer(record, target, token)
                : new Kept<>(element, record, writer.nextOrdinal(), target, token);
        writer.send(record, answer);
    }

    /** Closes the writer; see {@link StageContext.Termination}. Called after the loop. */
    String close(Duration patience) {
        return writer.close(patience.compareTo(HASTY_CLOSE) < 0 ? HASTY_CLOSE : patience);
    }
}
