package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Sink;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Stage;
import dev.weir.testkit.RebalanceSimulation.Event;
import dev.weir.testkit.RebalanceSimulation.Order;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Tests that the simulation detects a pipeline which does not tolerate an event. */
class RebalanceSimulationEventsTest {

    private static ConsumerSettings<String, String> settings(SimulatedKafka kafka) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(kafka.bootstrapServers())
                .groupId("booking")
                .maxOutstandingRecords(20)
                .revokeDeadline(Duration.ofSeconds(2))
                .build();
    }

    private static RebalanceSimulation simulation(Function<SimulatedKafka, Pipeline> pipeline) {
        return RebalanceSimulation.of(pipeline)
                .topic("orders", 3)
                .order(Order.KEY)
                .seeds(1, 100);
    }

    private static SimulationViolation violation(RebalanceSimulation simulation) {
        SimulationViolation violation = catchThrowableOfType(SimulationViolation.class, simulation::run);
        assertThat(violation).isNotNull();
        SimulationViolation again =
                catchThrowableOfType(SimulationViolation.class, () -> simulation.replay(violation.seed()));
        assertThat(again).as("the same in a replay").hasMessage(violation.getMessage());
        return violation;
    }

    // ---- Handlers that wait ----------------------------------------------------------------------------------------

    /** Regression: a handler was called for a revoked record after its wait at a breaker or for a retry. */
    @Test
    void handlerThatWaitsBeforeItBegins_isFoundBehindANewOwner() {
        assertThat(violation(simulation(kafka -> KafkaSource.from(settings(kafka), "orders")
                        .atLeastOnce()
                        .mapBlocking(4, RecordOrdering.byKey(), order -> {
                            kafka.clock()
                                    .sleepUntil(kafka.clock()
                                            .after(Duration.ofSeconds(3).toNanos()));
                            kafka.work(order);
                            return order;
                        })
                        .to(Sink.ignore()))))
                .hasMessageContaining("though its partition was revoked");
    }

    @Test
    void handlersThatWaitForABreaker_beginNothingBehindANewOwner() {
        simulation(RebalanceSimulationEventsTest::patientBooking)
                .with(Event.FAILING_WORK)
                .seeds(1, 80)
                .run();
    }

    /** Regression: the jitter of a retry was random, so the replay of a seed was another run. */
    @Test
    void replay_ofRetries_isTheSameRun() {
        // Without a breaker: it resumes several workers at once, in an order that the seed does not determine.
        RebalanceSimulation simulation = simulation(kafka -> KafkaFlow.from(settings(kafka), "orders")
                        .handle(4, RecordOrdering.byKey(), order -> {
                            kafka.work(order);
                            return order;
                        })
                        .retry(RetryPolicy.of(1_000, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5))))
                        .pipeline())
                .with(Event.FAILING_WORK);
        for (long seed = 1; seed <= 20; seed++) {
            assertThat(simulation.replay(seed)).isEqualTo(simulation.replay(seed));
        }
    }

    /** The sample of docs/guide/testkit.md. */
    static Pipeline patientBooking(SimulatedKafka kafka) {
        return KafkaFlow.from(settings(kafka), "orders")
                .handle(4, RecordOrdering.byKey(), order -> {
                    kafka.work(order);
                    return order;
                })
                .retry(RetryPolicy.of(1_000, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5))))
                .breaker(CircuitBreaker.consecutive(3, Duration.ofSeconds(5)).on(kafka.clock()))
                .pipeline();
    }

    // ---- Batches that are refused ----------------------------------------------------------------------------------

    /** Regression: after a restart, a refused record was written after later ones. */
    @Test
    void sinkThatFinishesBehindARefusedBatch_isFoundOutOfOrder() {
        assertThat(violation(simulation(kafka -> KafkaSource.from(settings(kafka), "orders")
                        .atLeastOnce()
                        .map(order -> booking(kafka, order))
                        .to(forgetful(kafka)))))
                .hasMessageContaining("of the same key in bookings-");
    }

    @Test
    void outputsBehindRefusedBatches_areInOrderAtLast() {
        simulation(kafka -> bookingTo(kafka, output(kafka))).seeds(1, 80).run();
    }

    /** Regression: the simulation passed although each output was written twice. */
    @Test
    void outputThatIsWrittenTwice_isARepeat() {
        assertThat(violation(simulation(kafka -> KafkaSource.from(settings(kafka), "orders")
                        .atLeastOnce()
                        .mapConcat(order -> List.of(booking(kafka, order), booking(kafka, order)))
                        .to(KafkaSink.with(output(kafka)).records()))))
                .hasMessageContaining("an output of orders-")
                .hasMessageContaining("again in the same assignment");
    }

    @Test
    void differentOutputsOfARecord_areNoRepeat() {
        simulation(kafka -> KafkaSource.from(settings(kafka), "orders")
                        .atLeastOnce()
                        .mapConcat(order -> List.of(
                                booking(kafka, order),
                                kafka.output(order, new ProducerRecord<>("audit", order.key(), order.value()))))
                        .to(KafkaSink.with(output(kafka)).records()))
                .run();
    }

    /** The sample of docs/guide/testkit.md. */
    static Pipeline bookingTo(SimulatedKafka kafka, ProducerSettings<String, String> output) {
        return KafkaSource.from(settings(kafka), "orders")
                .atLeastOnce()
                .map(order -> kafka.output(order, new ProducerRecord<>("bookings", order.key(), order.value())))
                .to(KafkaSink.with(output).records());
    }

    private static ProducerSettings<String, String> output(SimulatedKafka kafka) {
        return ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(kafka.bootstrapServers())
                .build();
    }

    private static ProducerRecord<String, String> booking(SimulatedKafka kafka, ConsumerRecord<String, String> order) {
        return kafka.output(order, new ProducerRecord<>("bookings", order.key(), order.value()));
    }

    private static Sink<ProducerRecord<String, String>> forgetful(SimulatedKafka kafka) {
        return Sink.custom("forgetful", context -> {
            Surroundings around = SurroundingsRegistry.of(Map.of("bootstrap.servers", kafka.bootstrapServers()));
            Producer<String, String> producer =
                    around.producer(Map.of(), new StringSerializer(), new StringSerializer());
            context.onTermination(patience -> {
                producer.close(Duration.ofSeconds(2));
                return "";
            });
            return upstream -> {
                for (var batch = upstream.pull(Stage.NEVER); batch != null; batch = upstream.pull(Stage.NEVER)) {
                    for (int i = 0; i < batch.size(); i++) {
                        AckTarget target = batch.target(i);
                        long token = batch.token(i);
                        var unused = producer.send(batch.get(i), (metadata, refused) -> {
                            if (refused == null) {
                                target.ack(token);
                            } else {
                                context.fail(new ProduceException("bookings", refused));
                            }
                        });
                    }
                }
                producer.flush();
            };
        });
    }
}
