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
 *         .via(Producing.with(settings).onFailure(WriteFailures.deadLetter(letters)).flow())
 *         .map(produced -> audit(produced.passThrough(), produced.metadata()))
 *         .to(audits)
 *         .run();
 * }
 *
 * <p>An input is acknowledged once all records made of it are durable. Records in flight are bounded by the producer's
 * {@code buffer.memory}; when that is used up, the stage above waits, also for brokers that are away. Errors that pass
 * are retried by the client for as long as they last.
 */
public final class Producing<K, V> {

    private static final int DEFAULT_IN_FLIGHT = 10_000;
    private static final int MAX_IN_FLIGHT = 1_000_000;

    private final ProducerSettings<K, V> settings;

    /** The sender whose producer is used; null if each run has its own. */
    private final @Nullable Sender<K, V> sender;

    private final WriteFailures failures;

    /** 0 if nothing was said. */
    private final int maxInFlight;

    private Producing(
            ProducerSettings<K, V> settings, @Nullable Sender<K, V> sender, WriteFailures failures, int maxInFlight) {
        this.settings = settings;
        this.sender = sender;
        this.failures = failures;
        this.maxInFlight = maxInFlight;
    }

    /** Writes with a producer of its own for each run. */
    public static <K, V> Producing<K, V> with(ProducerSettings<K, V> settings) {
        return new Producing<>(Objects.requireNonNull(settings, "settings"), null, WriteFailures.fail(), 0);
    }

    /**
     * Writes with a producer that several pipelines share. It must stay open until they have ended: they fail if it is
     * closed before. A record that is refused fails the pipeline that sent it, and no other.
     */
    public static <K, V> Producing<K, V> with(Sender<K, V> sender) {
        return new Producing<>(Objects.requireNonNull(sender, "sender").settings(), sender, WriteFailures.fail(), 0);
    }

    /** The rule for records that cannot be written; {@link WriteFailures#fail} unless told. */
    public Producing<K, V> onFailure(WriteFailures newFailures) {
        return new Producing<>(settings, sender, Objects.requireNonNull(newFailures, "failures"), maxInFlight);
    }

    /**
     * Sets the number in flight, beside the bound by {@code buffer.memory}: records of a sink, messages of a flow or of
     * a sink with a shared producer. 1 to 1,000,000; for those last two 10,000 unless told, otherwise no bound.
     */
    public Producing<K, V> maxInFlight(int count) {
        if (count < 1 || count > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight must be 1 to " + MAX_IN_FLIGHT + ": maxInFlight=" + count);
        }
        return new Producing<>(settings, sender, failures, count);
    }

    /**
     * Writes each record. With a producer of its own nothing is written behind a record that was refused, in its
     * partition, before the rule was applied; see {@link dev.weir.kafka.KafkaSink#producing}.
     */
    public Sink<ProducerRecord<K, V>> records() {
        if (sender == null) {
            return Sink.custom("produce", new ProducerSink<>(settings, failures, maxInFlight));
        }
        return Sink.through(records -> records.map(record -> Message.single(record, record))
                .via(this.<ProducerRecord<K, V>>flow())
                .to(Sink.ignore()));
    }

    /** Writes all records of each message; its input is acknowledged when all are durable, or at once without any. */
    public <P> Sink<Message<K, V, P>> messages() {
        if (sender == null) {
            return Sink.through(messages -> messages.mapConcat(Message::records).to(records()));
        }
        return Sink.through(messages -> messages.via(this.<P>flow()).to(Sink.ignore()));
    }

    /**
     * Writes all records of each message and hands on where they stand and what travelled with them, in the order of
     * the messages. The input is acknowledged by what comes behind. A message of which a record was skipped or became a
     * dead letter is not handed on; the other records of it are written. With a shared producer records behind a
     * refused one of their partition may be written twice, or though the run fails with it.
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
