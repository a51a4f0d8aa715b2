package dev.weir.kafka.produce;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.write.ProducerSink;
import dev.weir.kafka.internal.out.write.ResultStage;
import dev.weir.stream.Flow;
import dev.weir.stream.Sink;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sinks and flows that produce, with options. Immutable and free to share.
 *
 * {@snippet :
 * orders.map(order -> Message.multi(List.of(invoice(order), shipment(order)), order))
 *         .via(Producing.with(settings).onFailure(WriteFailures.deadLetter(deadLetters)).flow())
 *         .map(produced -> audit(produced.passThrough(), produced.metadata()))
 *         .to(audits)
 *         .run();
 * }
 *
 * <p>An input is acknowledged once all records made of it are durable. The producer's {@code buffer.memory} bounds
 * records in flight; at the limit the stage above waits, also while brokers are down. The client retries transient
 * errors for as long as they last.
 */
public final class Producing<K, V> {

    private static final int DEFAULT_IN_FLIGHT = 10_000;
    private static final int MAX_IN_FLIGHT = 1_000_000;

    private final ProducerSettings<K, V> settings;

    /** The sender to use; null if each run has its own producer. */
    private final @Nullable Sender<K, V> sender;

    private final WriteFailures failures;

    /** 0 if not set. */
    private final int maxInFlight;

    private Producing(
            ProducerSettings<K, V> settings, @Nullable Sender<K, V> sender, WriteFailures failures, int maxInFlight) {
        this.settings = settings;
        this.sender = sender;
        this.failures = failures;
        this.maxInFlight = maxInFlight;
    }

    /** Writes with a new producer for each run. */
    public static <K, V> Producing<K, V> with(ProducerSettings<K, V> settings) {
        return new Producing<>(Objects.requireNonNull(settings, "settings"), null, WriteFailures.fail(), 0);
    }

    /**
     * Writes with a producer shared by several pipelines. Keep it open until they have ended; closing it earlier fails
     * them. A refused record fails only the pipeline that sent it.
     */
    public static <K, V> Producing<K, V> with(Sender<K, V> sender) {
        return new Producing<>(Objects.requireNonNull(sender, "sender").settings(), sender, WriteFailures.fail(), 0);
    }

    /** Sets the rule for records that cannot be written, default {@link WriteFailures#fail}. */
    public Producing<K, V> onFailure(WriteFailures newFailures) {
        return new Producing<>(settings, sender, Objects.requireNonNull(newFailures, "failures"), maxInFlight);
    }

    /**
     * Limits the number in flight, in addition to {@code buffer.memory}: records of a sink, messages of a flow or of a
     * sink with a shared producer. 1 to 1,000,000. The default is 10,000 for flows and shared producers; other sinks
     * have no limit.
     */
    public Producing<K, V> maxInFlight(int count) {
        if (count < 1 || count > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight must be 1 to " + MAX_IN_FLIGHT + ": maxInFlight=" + count);
        }
        return new Producing<>(settings, sender, failures, count);
    }

    /**
     * Writes each record. With its own producer, no later record of a partition is written before the rule was applied
     * to a refused one; see {@link dev.weir.kafka.KafkaSink#producing}.
     */
    public Sink<ProducerRecord<K, V>> records() {
        if (sender == null) {
            return Sink.custom("produce", new ProducerSink<>(settings, failures, maxInFlight));
        }
        return Sink.through(records -> records.map(record -> Message.single(record, record))
                .via(this.<ProducerRecord<K, V>>flow())
                .to(Sink.ignore()));
    }

    /**
     * Writes all records of each message. Its input is acknowledged when all are durable; at once if there are none.
     */
    public <P> Sink<Message<K, V, P>> messages() {
        if (sender == null) {
            return Sink.through(messages -> messages.mapConcat(Message::records).to(records()));
        }
        return Sink.through(messages -> messages.via(this.<P>flow()).to(Sink.ignore()));
    }

    /**
     * Writes all records of each message and emits their positions with the message's value, in message order.
     * Downstream stages acknowledge the input. A message with a skipped or dead-lettered record is not emitted, but its
     * other records are written. With a shared producer, records after a refused one of their partition may be written
     * twice, or even though the run fails.
     */
    public <P> Flow<Message<K, V, P>, Produced<P>> flow() {
        int window = maxInFlight == 0 ? DEFAULT_IN_FLIGHT : maxInFlight;
        return Flow.of(
                "produce",
                messages -> messages.stage(
                        "produce",
                        (upstream, context) -> sender == null
                                ? ResultStage.create(settings, failures, window, upstream, context)
                                : ResultStage.sharing(sender.client(), settings, failures, window, upstream, context)));
    }
}
