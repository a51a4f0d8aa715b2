package dev.weir.kafka;

import dev.weir.kafka.internal.in.view.EncodedElement;
import dev.weir.kafka.internal.out.write.EncodedSink;
import dev.weir.kafka.internal.out.write.ProducerSink;
import dev.weir.kafka.internal.out.write.ResultStage;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.stream.Attributes;
import dev.weir.stream.Flow;
import dev.weir.stream.Sink;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sinks and flows that write to Kafka. Choose a producer first, then options, and then the kind of element to write.
 * Immutable and safe to share.
 *
 * {@snippet :
 * orders.map(order -> Message.multi(List.of(invoice(order), shipment(order)), order))
 *         .via(KafkaSink.with(settings).onFailure(WriteFailures.deadLetter(deadLetterTopic)).flow())
 *         .map(produced -> audit(produced.passThrough(), produced.metadata()))
 *         .to(audits)
 *         .run();
 * }
 *
 * <p>An input is acknowledged once all records created from it are durable. The producer's {@code buffer.memory} limits
 * the records in flight. At this limit, the upstream stage waits, even while brokers are down. The client retries
 * transient errors for as long as they last.
 *
 * <p>A {@link KafkaFlow} and an {@link ExactlyOnceFlow} have their own sinks: {@link HandledRecords#produceTo} and
 * {@link ExactlyOnceFlow#produceTo}.
 */
public final class KafkaSink<K, V> {

    private static final int DEFAULT_IN_FLIGHT = 10_000;
    private static final int MAX_IN_FLIGHT = 1_000_000;

    private final ProducerSettings<K, V> settings;

    /** The sender, or null if each run has its own producer. */
    private final @Nullable Sender<K, V> sender;

    private final WriteFailures failures;

    /** 0 if not set. */
    private final int maxInFlight;

    private final Attributes attributes;

    private KafkaSink(
            ProducerSettings<K, V> settings,
            @Nullable Sender<K, V> sender,
            WriteFailures failures,
            int maxInFlight,
            Attributes attributes) {
        this.settings = settings;
        this.sender = sender;
        this.failures = failures;
        this.maxInFlight = maxInFlight;
        this.attributes = attributes;
    }

    /** Writes with a new producer for each run. To use one producer in several pipelines, pass a {@link Sender}. */
    public static <K, V> KafkaSink<K, V> with(ProducerSettings<K, V> settings) {
        return new KafkaSink<>(
                Objects.requireNonNull(settings, "settings"), null, WriteFailures.fail(), 0, Attributes.NONE);
    }

    /**
     * Writes with a producer that several pipelines may use. Keep the sender open until these pipelines have ended,
     * because they fail otherwise. A rejected record fails only the pipeline that sent it.
     */
    public static <K, V> KafkaSink<K, V> with(Sender<K, V> sender) {
        return new KafkaSink<>(
                Objects.requireNonNull(sender, "sender").settings(), sender, WriteFailures.fail(), 0, Attributes.NONE);
    }

    /** Sets the rule for records that cannot be written; the default is {@link WriteFailures#fail}. */
    public KafkaSink<K, V> onFailure(WriteFailures newFailures) {
        Objects.requireNonNull(newFailures, "failures");
        return new KafkaSink<>(settings, sender, newFailures, maxInFlight, attributes);
    }

    /**
     * Limits the number of records or messages in flight, in addition to {@code buffer.memory}: 1 to 1,000,000. For
     * {@link #flow} and for a sink with a {@link Sender}, the limit counts messages and is 10,000 by default. For a
     * sink with its own producer, the limit counts records; by default, there is no limit. It cannot be set for
     * {@link #transactional}, or for {@link #encoded} without a failure rule.
     */
    public KafkaSink<K, V> maxInFlight(int count) {
        if (count < 1 || count > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight must be 1 to " + MAX_IN_FLIGHT + ": maxInFlight=" + count);
        }
        return new KafkaSink<>(settings, sender, failures, count, attributes);
    }

    /** Sets the name and the dispatcher of the sinks created with {@link #records} and {@link #messages}. */
    public KafkaSink<K, V> attributes(Attributes newAttributes) {
        Objects.requireNonNull(newAttributes, "attributes");
        return new KafkaSink<>(settings, sender, failures, maxInFlight, newAttributes);
    }

    /**
     * Writes each record, and acknowledges its input when the brokers have acknowledged the record. Records of a
     * partition are written in order. Inputs may be acknowledged in any order.
     *
     * <p>Each run has its own producer. The client's {@code buffer.memory} limits the records in flight. With
     * {@link ProducePath#CLIENT}, they are also limited to about twice the data in the client's concurrent requests,
     * which is about ten batches of {@code batch.size} per partition by default. At a limit, the upstream stage waits,
     * also while brokers are down. The client retries transient errors for as long as they last.
     *
     * <p>By default, the run fails with {@link ProduceException} if a record is too large, rejected or not
     * serializable, or if its topic does not exist. The record's input is then not acknowledged. {@link #onFailure}
     * sets another rule. If the run has its own producer, the rule is applied before later records of the partition are
     * written.
     */
    public Sink<ProducerRecord<K, V>> records() {
        if (sender == null) {
            return Sink.<ProducerRecord<K, V>>custom("produce", new ProducerSink<>(settings, failures, maxInFlight))
                    .with(attributes);
        }
        return Sink.through(records -> records.map(record -> Message.single(record, record))
                .via(this.<ProducerRecord<K, V>>flow())
                .to(Sink.<Produced<ProducerRecord<K, V>>>ignore().with(attributes)));
    }

    /**
     * Writes all records of each message. Acknowledges the input when all these records are durable, or immediately if
     * there are none.
     */
    public <P> Sink<Message<K, V, P>> messages() {
        if (sender == null) {
            return Sink.through(messages -> messages.mapConcat(Message::records).to(records()));
        }
        return Sink.through(messages ->
                messages.via(this.<P>flow()).to(Sink.<Produced<P>>ignore().with(attributes)));
    }

    /**
     * Writes all records of each message, and emits their metadata with the message's value, in message order.
     * Downstream stages acknowledge the input. If one record is skipped or dead-lettered, the message is not emitted,
     * but its other records are written. With a {@link Sender}, records after a rejected one in its partition may be
     * written twice, and may be written even if the run fails.
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

    /**
     * Writes the records encoded from {@link KafkaSource#views}, using a {@link ProducePath#LEAN} producer. An element
     * is acknowledged when the brokers have acknowledged all of its records. Order, back-pressure and failures are as
     * with {@link #records}: the first unwritable record fails the run, and no later record of its partition is
     * written. The serializers in the settings are not used.
     *
     * <p>With a {@linkplain #onFailure rule} other than {@link WriteFailures#fail}, each record is copied, because it
     * may have to be sent again. The sink then works like {@link #records} with a {@link ProducePath#LEAN} producer.
     *
     * @throws IllegalArgumentException if the settings specify Kafka's client as the produce path, the producer is a
     *     {@link Sender}, or {@link #maxInFlight} is set without a failure rule
     */
    public Sink<EncodedRecords> encoded() {
        if (settings.produce() != ProducePath.LEAN) {
            throw new IllegalArgumentException("encoded records need the lean path: produce=" + settings.produce()
                    + "; set produce(ProducePath.LEAN)");
        }
        refuseSender("encoded()");
        if (failures.action() == WriteFailures.Action.FAIL) {
            refuseMaxInFlight("encoded()");
            return Sink.<EncodedRecords>custom("produce", new EncodedSink(settings))
                    .with(attributes);
        }
        var ofBytes = ProducerSettings.builder().produce(ProducePath.LEAN);
        settings.properties().forEach(ofBytes::property);
        Sink<ProducerRecord<byte[], byte[]>> records =
                new KafkaSink<>(ofBytes.build(), null, failures, maxInFlight, attributes).records();
        return Sink.through(encoded ->
                encoded.mapConcat(each -> ((EncodedElement) each).unfold()).to(records));
    }

    /**
     * Writes records in transactions under a transactional id. Brokers allow one producer per id: a new run aborts the
     * open transaction of an earlier run. If the earlier run is still active, it fails.
     *
     * @throws IllegalArgumentException if the settings cannot be used with transactions, the id is blank, the producer
     *     is a {@link Sender}, or {@link #maxInFlight} is set
     */
    public TransactionalSink<K, V> transactional(String transactionalId) {
        refuseSender("transactional(...)");
        refuseMaxInFlight("transactional(...)");
        return TransactionalSink.of(settings, transactionalId, failures);
    }

    private void refuseSender(String what) {
        if (sender != null) {
            throw new IllegalArgumentException(
                    what + " needs its own producer: use KafkaSink.with(settings) instead of a sender");
        }
    }

    private void refuseMaxInFlight(String what) {
        if (maxInFlight != 0) {
            throw new IllegalArgumentException(what
                    + " counts no records in flight, buffer.memory limits them: remove maxInFlight(" + maxInFlight
                    + ")");
        }
    }
}
