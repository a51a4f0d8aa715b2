package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Outgoing;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the beans of {@code docs/guide/quarkus.md} with the framework's subscription, but without a container. */
@Timeout(300)
class SmallRyeTest {

    private static final int COUNT = 500;
    private static final Duration LONG = Duration.ofMinutes(2);

    static class OrdersChannel {

        private final AtomicReference<RunningPipeline> running = new AtomicReference<>();
        private final ConsumerSettings<String, String> settings;
        private final Subscription orders;

        OrdersChannel(ConsumerSettings<String, String> settings, Subscription orders) {
            this.settings = settings;
            this.orders = orders;
        }

        @Outgoing("orders")
        public Flow.Publisher<Message<String>> orders() {
            return subscriber -> running.set(KafkaSource.from(settings, orders)
                    .atLeastOnce()
                    .withClaim()
                    .map(claim -> Message.of(claim.value().value(), () -> {
                        claim.ack();
                        return CompletableFuture.completedStage(null);
                    }))
                    .to(Sink.toSubscriber(subscriber))
                    .run());
        }

        void stop(Duration deadline) throws InterruptedException {
            running.get().drain(deadline);
        }
    }

    static class Invoices {

        @Incoming("orders")
        @Outgoing("invoices")
        public Flow.Processor<String, String> invoices() {
            return Source.processor(
                    256, orders -> orders.mapBlocking(16, Ordering.input(), order -> order + ": invoiced"));
        }
    }

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static OrdersChannel channel(String topic, int partitions) {
        cluster.createTopic(topic, partitions);
        Records.produce(cluster.bootstrapServers(), topic, 0, COUNT, 20);
        ConsumerSettings<String, String> settings = ConsumerSettings.builder(
                        new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(topic)
                .property("auto.offset.reset", "earliest")
                .build();
        return new OrdersChannel(settings, Subscription.topics(topic));
    }

    @Test
    void acknowledgementOfTheMessage_isThatOfTheRecord() throws Exception {
        OrdersChannel channel = channel("all", 3);
        List<Message<String>> received = Multi.createFrom()
                .publisher(channel.orders())
                .onItem()
                .call(message -> Uni.createFrom().completionStage(message.ack()))
                .select()
                .first(COUNT)
                .collect()
                .asList()
                .await()
                .atMost(LONG);
        channel.stop(LONG);
        assertThat(received)
                .extracting(Message::getPayload)
                .doesNotHaveDuplicates()
                .hasSize(COUNT);
        assertThat(cluster.committedOffsets("all")).isEqualTo(cluster.endOffsets("all"));
    }

    @Test
    void messageWithoutAcknowledgement_isNotCommitted() throws Exception {
        OrdersChannel channel = channel("some", 1);
        List<Message<String>> received = Multi.createFrom()
                .publisher(channel.orders())
                .onItem()
                .call(message -> message.getPayload().equals("4")
                        ? Uni.createFrom().voidItem()
                        : Uni.createFrom().completionStage(message.ack()))
                .select()
                .first(10)
                .collect()
                .asList()
                .await()
                .atMost(LONG);
        channel.stop(Duration.ofSeconds(2));
        assertThat(received).hasSize(10);
        assertThat(cluster.committedOffsets("some").values()).containsExactly(4L);
    }

    @Test
    void processor_standsBetweenTwoChannels() {
        Flow.Processor<String, String> processor = new Invoices().invoices();
        Multi.createFrom().items("a", "b", "c").subscribe().withSubscriber(processor);
        assertThat(Multi.createFrom()
                        .publisher(processor)
                        .collect()
                        .asList()
                        .await()
                        .atMost(LONG))
                .containsExactly("a: invoiced", "b: invoiced", "c: invoiced");
    }
}
