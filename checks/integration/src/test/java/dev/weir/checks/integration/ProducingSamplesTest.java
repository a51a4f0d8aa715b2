package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** The samples of {@code docs/guide/producing.md}, word for word. */
class ProducingSamplesTest {

    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final ConsumerSettings<String, String> orders = ConsumerSettings.builder(
                    new StringDeserializer(), new StringDeserializer())
            .bootstrapServers("h:1")
            .groupId("billing")
            .build();
    private final ProducerSettings<String, String> settings = ProducerSettings.builder(
                    new StringSerializer(), new StringSerializer())
            .bootstrapServers("h:1")
            .build();
    private final DeadLetterTopic deadLetterTopic = DeadLetterTopic.of("orders-dead", orders);

    /** The application's own code. */
    interface Shop {
        ProducerRecord<String, String> invoice(ConsumerRecord<String, String> order);

        ProducerRecord<String, String> shipment(ConsumerRecord<String, String> order);

        void audit(ConsumerRecord<String, String> order, List<RecordMetadata> where);

        void note(RecordMetadata where);
    }

    @Test
    void samples_ofTheDocument_areCompiledHere() throws IOException {
        Path root = Path.of(System.getProperty("weir.root"));
        String here = withoutSpace(Files.readString(root.resolve("checks/integration/src/test/java")
                .resolve(getClass().getName().replace('.', '/') + ".java")));
        List<String> samples = SAMPLE.matcher(Files.readString(root.resolve("docs/guide/producing.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .hasSize(4)
                .allSatisfy(sample -> assertThat(here).as(sample).contains(withoutSpace(sample)));
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    Pipeline results(Shop shop) {
        Pipeline billing = KafkaSource.from(orders, "orders")
                .atLeastOnce()
                .map(order -> Message.multi(List.of(shop.invoice(order), shop.shipment(order)), order))
                .via(KafkaSink.with(settings).<ConsumerRecord<String, String>>flow())
                .to(Sink.forEach(produced -> shop.audit(produced.passThrough(), produced.metadata())));
        return billing;
    }

    KafkaSink<String, String> rule() {
        KafkaSink<String, String> safe = KafkaSink.with(settings).onFailure(WriteFailures.deadLetter(deadLetterTopic));
        return safe;
    }

    record Payment(String account, String text) {}

    Pipeline transactions(Source<Payment> payments) {
        Pipeline booking = payments.map(payment -> new ProducerRecord<>("booked", payment.account(), payment.text()))
                .to(KafkaSink.with(settings)
                        .transactional("booking-1")
                        .commitRecords(1_000)
                        .records());
        return booking;
    }

    /** Declares the variables that the sample uses. */
    private record Telling(
            Shop shop,
            ProducerSettings<String, String> settings,
            Source<ProducerRecord<String, String>> first,
            Source<ProducerRecord<String, String>> second) {

        @SuppressWarnings({"FutureReturnValueIgnored", "CheckReturnValue", "unused"}) // a sample
        void tell() throws InterruptedException {
            try (Sender<String, String> sender = Sender.open(settings)) {
                RecordMetadata written = sender.sendAndWait(new ProducerRecord<>("events", "started"));
                sender.send(new ProducerRecord<>("events", "ready")).thenAccept(metadata -> shop.note(metadata));
                List<RecordMetadata> all = sender.sendAll(
                        List.of(new ProducerRecord<>("events", "a"), new ProducerRecord<>("events", "b")));
                first.to(KafkaSink.with(sender).records()).run().await();
                second.to(KafkaSink.with(sender).records()).run().await();
            }
        }
    }

    void sender(Shop shop, Source<ProducerRecord<String, String>> first, Source<ProducerRecord<String, String>> second)
            throws InterruptedException {
        new Telling(shop, settings, first, second).tell();
    }
}
