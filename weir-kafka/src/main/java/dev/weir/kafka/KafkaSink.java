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
 * Sinks and flows that produce, by the producer, its options and then by what is written. Immutable and free to share.
 *
 * {@snippet :
 * orders.map(order -> Message.multi(List.of(invoice(order), shipment(order)), order))
 *         .via(KafkaSink.with(settings).onFailure(WriteFailures.deadLetter(deadLetterTopic)).flow())
 *         .map(produced -> audit(produced.passThrough(), produced.metadata()))
 *         .to(audits)
 *         .run();
 * }
 *
 * <p>An input is acknowledged once all records made of it are durable. The producer's {@code buffer.memory} bounds
 * records in flight; at the limit the stage above waits, also while brokers are down. The client retries transient
 * errors for as long as they last.
 *
 * <p>A {@link KafkaFlow} and an {@link ExactlyOnceFlow} have a sink of their own: {@link HandledFlow#produceTo}, {@link
 * ExactlyOnceFlow#produceTo}.
 */
public final class KafkaSink<K, V> {

    private static final int DEFAULT_IN_FLIGHT = 10_000;
    private static final int MAX_IN_FLIGHT = 1_000_000;

    private final ProducerSettings<K, V> settings;

    /** The sender to use; null if each run has its own producer. */
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

    /** Writes with a new producer for each run. */
    public static <K, V> KafkaSink<K, V> with(ProducerSettings<K, V> settings) {
        return new KafkaSink<>(
                Objects.requireNonNull(settings, "settings"), null, WriteFailures.fail(), 0, Attributes.NONE);
    }

    /**
     * Writes with a producer shared by several pipelines. Keep it open until they have ended; closing it earlier fails
     * them. A refused record fails only the pipeline that sent it.
     */
    public static <K, V> KafkaSink<K, V> with(Sender<K, V> sender) {
        return new KafkaSink<>(
                Objects.requireNonNull(sender, "sender").settings(), sender, WriteFailures.fail(), 0, Attributes.NONE);
    }

    /** Sets the rule for records that cannot be written, default {@link WriteFailures#fail}. */
    public KafkaSink<K, V> onFailure(WriteFailures newFailures) {
        Objects.requireNonNull(newFailures, "failures");
        return new KafkaSink<>(settings, sender, newFailures, maxInFlight, attributes);
    }

    /**
     * Limits the number in flight, in addition to {@code buffer.memory}: records of a sink, messages of a flow or of a
     * sink with a shared producer. 1 to 1,000,000. The default is 10,000 for flows and shared producers; other sinks
     * have no limit.
     */
    public KafkaSink<K, V> maxInFlight(int count) {
        if (count < 1 || count > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight must be 1 to " + MAX_IN_FLIGHT + ": maxInFlight=" + count);
        }
        return new KafkaSink<>(settings, sender, failures, count, attributes);
    }

    /** Sets the name and the dispatcher of the sink of {@link #records} or {@link #messages}. */
    public KafkaSink<K, V> attributes(Attributes newAttributes) {
        Objects.requireNonNull(newAttributes, "attributes");
        return new KafkaSink<>(settings, sender, failures, maxInFlight, newAttributes);
    }

    /**
     * Produces each record and acknowledges its input when the brokers have it. Records of a partition are written in
     * order. Answers may arrive in any order, since each acknowledges only its own input.
     *
     * <p>Each run has its own producer. The limit on records in flight is twice what the client can have in flight to
     * the brokers ({@code batch.size} per partition, ten times over), and its {@code buffer.memory}. At the limit the
     * stage above waits, also while brokers are down. The client retries transient errors for as long as they last.
     *
     * <p>Without a rule, fails the run with {@link ProduceException} when a record can never be written: too large,
     * refused, not serializable, or for a topic that does not exist. Its input stays unacknowledged. With a producer of
     * its own, no later record of a partition is written before the rule was applied to a refused one.
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
     * Writes all records of each message. Its input is acknowledged when all are durable; at once if there are none.
     */
    public <P> Sink<Message<K, V, P>> messages() {
        if (sender == null) {
            return Sink.through(messages -> messages.mapConcat(Message::records).to(records()));
        }
        return Sink.through(messages ->
                messages.via(this.<P>flow()).to(Sink.<Produced<P>>ignore().with(attributes)));
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

    /**
     * Produces the records encoded from {@link KafkaSource#views} with a lean producer, and acknowledges an element
     * when the brokers have all its records. Order, back-pressure and failures are as in {@link #records}: the first
     * record that cannot be written fails the run, and no later record of its partition is written. The settings'
     * serializers are not used.
     *
     * <p>With a rule that does not fail the run, each record becomes an object with its own bytes, so that it can be
     * sent again after a refusal. This is then {@link #records} with a lean producer.
     *
     * @throws IllegalArgumentException if the settings produce by Kafka's client
     */
    public Sink<EncodedRecords> encoded() {
        if (settings.produce() != ProducePath.LEAN) {
            throw new IllegalArgumentException("encoded records need the lean path: produce=" + settings.produce()
                    + "; set produce(ProducePath.LEAN)");
        }
        refuseSender("encoded()");
        if (failures.action() == WriteFailures.Action.FAIL) {
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
     * Writes records in transactions under a transactional id. The brokers let only one producer write under it at a
     * time: a new run aborts the open transaction of the previous run, which fails if it is still running.
     *
     * @throws IllegalArgumentException if the settings do not go with transactions, the id is blank, or the producer is
     *     shared
     */
    public TransactionalSink<K, V> transactional(String transactionalId) {
        refuseSender("transactional(...)");
        return TransactionalSink.of(settings, transactionalId, failures);
    }

    private void refuseSender(String what) {
        if (sender != null) {
            throw new IllegalArgumentException(
                    what + " needs a producer of its own: use KafkaSink.with(settings) instead of a sender");
        }
    }
}
