package dev.weir.kafka;

import dev.weir.kafka.internal.in.view.EncodedElement;
import dev.weir.kafka.internal.out.write.EncodedSink;
import dev.weir.kafka.internal.out.write.ProducerSink;
import dev.weir.kafka.produce.Producing;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.stream.Sink;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sinks that produce. */
public final class KafkaSink {

    private KafkaSink() {}

    /**
     * Produces each record and acknowledges its input when the brokers have it. Records of a partition are written in
     * order. Answers may arrive in any order, since each acknowledges only its own input.
     *
     * <p>Each run has its own producer. The limit on records in flight is twice what the client can have in flight to
     * the brokers ({@code batch.size} per partition, ten times over), and its {@code buffer.memory}. At the limit the
     * stage above waits, also while brokers are down. The client retries transient errors for as long as they last.
     *
     * <p>Fails the run with {@link ProduceException} when a record can never be written: too large, refused, not
     * serialisable, or for a topic that does not exist. Its input stays unacknowledged. {@link Producing} has other
     * rules, several records per input, results, and a shared producer.
     */
    public static <K, V> Sink.Loop<ProducerRecord<K, V>> producing(ProducerSettings<K, V> settings) {
        return producing(settings, WriteFailures.fail());
    }

    /** {@link #producing(ProducerSettings)} with a rule for records that cannot be written. */
    public static <K, V> Sink.Loop<ProducerRecord<K, V>> producing(
            ProducerSettings<K, V> settings, WriteFailures failures) {
        return Sink.custom(
                "produce",
                new ProducerSink<>(
                        Objects.requireNonNull(settings, "settings"), Objects.requireNonNull(failures, "failures"), 0));
    }

    /**
     * Produces the records encoded from {@link KafkaSource#views} with a lean producer, and acknowledges an element
     * when the brokers have all its records. Order, back-pressure and failures are as in {@link
     * #producing(ProducerSettings)}: the first record that cannot be written fails the run, and no later record of its
     * partition is written. The settings' serializers are not used.
     *
     * @throws IllegalArgumentException if the settings produce by Kafka's client
     */
    public static Sink<EncodedRecords> encoded(ProducerSettings<?, ?> settings) {
        if (Objects.requireNonNull(settings, "settings").produce() != ProducePath.LEAN) {
            throw new IllegalArgumentException("encoded records need the lean path: produce=" + settings.produce()
                    + "; set produce(ProducePath.LEAN)");
        }
        return Sink.custom("produce", new EncodedSink(settings));
    }

    /**
     * {@link #encoded(ProducerSettings)} with a rule for records that cannot be written. Unless the rule fails the run,
     * each record becomes an object with its own bytes, so that it can be sent again after a refusal. This is then
     * {@link #producing(ProducerSettings, WriteFailures)} with a lean producer.
     *
     * @throws IllegalArgumentException if the settings produce by Kafka's client
     */
    public static Sink<EncodedRecords> encoded(ProducerSettings<?, ?> settings, WriteFailures failures) {
        Objects.requireNonNull(failures, "failures");
        Sink<EncodedRecords> failing = encoded(settings);
        if (failures.action() == WriteFailures.Action.FAIL) {
            return failing;
        }
        var ofBytes = ProducerSettings.builder().produce(ProducePath.LEAN);
        settings.properties().forEach(ofBytes::property);
        Sink<ProducerRecord<byte[], byte[]>> records = producing(ofBytes.build(), failures);
        return Sink.through(encoded ->
                encoded.mapConcat(each -> ((EncodedElement) each).unfold()).to(records));
    }
}
