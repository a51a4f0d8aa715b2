package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.RebalanceSimulation.Delivery;
import dev.weir.testkit.RebalanceSimulation.Event;
import dev.weir.testkit.RebalanceSimulation.Order;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RebalanceSimulationTest {

    private static ConsumerSettings<String, String> settings(SimulatedKafka kafka) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(kafka.bootstrapServers())
                .groupId("booking")
                .maxOutstandingRecords(20)
                .build();
    }

    private static Source<ConsumerRecord<String, String>> orders(SimulatedKafka kafka) {
        return KafkaSource.from(settings(kafka), "orders").atLeastOnce();
    }

    private static ConsumerRecord<String, String> worked(SimulatedKafka kafka, ConsumerRecord<String, String> order) {
        kafka.work(order);
        return order;
    }

    private static Pipeline byKey(SimulatedKafka kafka) {
        return orders(kafka)
                .mapBlocking(4, RecordOrdering.byKey(), order -> worked(kafka, order))
                .to(Sink.ignore());
    }

    private static RebalanceSimulation simulation(Function<SimulatedKafka, Pipeline> pipeline) {
        return RebalanceSimulation.of(pipeline).topic("orders", 3).seeds(1, 60);
    }

    // ---- What a test that passes says: nothing
    // --------------------------------------------------------------------------

    /** Regression: four passing tests logged 746 warnings. */
    @Test
    void faultsOfTheWorld_areInTheHistory_andNotInTheLog() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line.getLevel() + " " + line.getLoggerName() + ": " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger weirs = Logger.getLogger("dev.weir");
        weirs.addHandler(handler);
        try {
            RebalanceSimulation simulation =
                    simulation(RebalanceSimulationTest::byKey).order(Order.KEY);
            simulation.run();
            List<String> lines = new ArrayList<>();
            for (long seed = 1; seed <= 20; seed++) {
                lines.addAll(simulation.replay(seed));
            }
            assertThat(logged).isEmpty();
            assertThat(lines).anyMatch(line -> line.contains("s  logged       WARN commit of orders-"));
        } finally {
            weirs.removeHandler(handler);
        }
    }

    // ---- Pipelines that keep their promises
    // --------------------------------------------------------------------------

    @Test
    void workersByKey_keepTheOrderOfKeys() {
        simulation(RebalanceSimulationTest::byKey)
                .order(Order.KEY)
                .seeds(1, 100)
                .run();
    }

    @Test
    @Tag("long")
    void workersByKey_inFurtherWorlds_keepTheOrderOfKeys() {
        simulation(RebalanceSimulationTest::byKey)
                .order(Order.KEY)
                .seeds(101, 2_000)
                .run();
    }

    @Test
    void oneThread_keepsTheOrderOfPartitions() {
        simulation(kafka -> orders(kafka).to(Sink.forEach(kafka::work)))
                .order(Order.PARTITION)
                .run();
    }

    @Test
    void futures_inAnyOrder_loseNothing() {
        simulation(kafka -> orders(kafka)
                        .mapAsyncUnordered(8, order -> kafka.workAsync(order).thenApply(done -> order))
                        .to(Sink.ignore()))
                .run();
    }

    @Test
    void groups_thatWaitForTime_areFlushed() {
        simulation(kafka -> orders(kafka)
                        .groupedWithin(10, Duration.ofMillis(500))
                        .to(Sink.forEach(group -> {
                            for (ConsumerRecord<String, String> order : group) {
                                kafka.work(order);
                            }
                        })))
                .order(Order.PARTITION)
                .without(Event.TAKEOVER)
                .run();
    }

    @Test
    void streamsPerPartition_keepTheOrderOfPartitions() {
        simulation(kafka -> KafkaSource.from(settings(kafka), Subscription.pattern("ord.*"))
                        .partitioned()
                        .flatMapMerge(Integer.MAX_VALUE, partition -> partition.records())
                        .to(Sink.forEach(kafka::work)))
                .order(Order.PARTITION)
                .run();
    }

    @Test
    void filtered_areLeftOutOnPurpose() {
        simulation(kafka ->
                        orders(kafka).filter(order -> !"k0".equals(order.key())).to(Sink.forEach(kafka::work)))
                .ignoring(order -> "k0".equals(new String(order.key(), StandardCharsets.UTF_8)))
                .run();
    }

    @Test
    void atMostOnce_repeatsNothing() {
        simulation(kafka -> KafkaSource.from(settings(kafka), Subscription.topics("orders"))
                        .atMostOnce(5)
                        .mapBlocking(4, Ordering.unordered(), order -> worked(kafka, order))
                        .to(Sink.ignore()))
                .delivery(Delivery.AT_MOST_ONCE)
                .run();
    }

    // ---- A world ---------------------------------------------------------------------------------------------------

    @Test
    void replay_isTheSameWorld() {
        RebalanceSimulation simulation =
                simulation(RebalanceSimulationTest::byKey).order(Order.KEY);
        for (long seed = 1; seed <= 12; seed++) {
            assertThat(simulation.replay(seed)).isEqualTo(simulation.replay(seed));
        }
    }

    @Test
    void replay_onPlatformThreads_isTheSameWorld() {
        try (Dispatcher pool = Dispatcher.fixed("pool", 4);
                Dispatcher below = Dispatcher.single("below")) {
            RebalanceSimulation simulation = simulation(kafka -> orders(kafka)
                            .mapBlocking(4, RecordOrdering.byKey(), order -> worked(kafka, order))
                            .with(Attributes.NONE.withDispatcher(pool))
                            .async(below, 16)
                            .to(Sink.ignore()))
                    .order(Order.KEY);
            for (long seed = 1; seed <= 5; seed++) {
                assertThat(simulation.replay(seed)).isEqualTo(simulation.replay(seed));
            }
        }
    }

    @Test
    void worlds_haveAllThatBefallsAMember() {
        RebalanceSimulation simulation = simulation(RebalanceSimulationTest::byKey);
        StringBuilder all = new StringBuilder();
        for (long seed = 1; seed <= 60; seed++) {
            simulation.replay(seed).forEach(line -> all.append(line).append('\n'));
        }
        assertThat(all)
                .contains("assigned", "revoked", "lost", "elsewhere", "commit fails", "crashes", "asked to stop")
                .contains("pauses", "resumes", "time 2", "all is committed");
    }

    // ---- Pipelines that break them
    // -----------------------------------------------------------------------------------

    private static SimulationViolation violation(RebalanceSimulation simulation) {
        SimulationViolation violation = catchThrowableOfType(SimulationViolation.class, simulation::run);
        assertThat(violation).isNotNull();
        SimulationViolation again =
                catchThrowableOfType(SimulationViolation.class, () -> simulation.replay(violation.seed()));
        assertThat(again).as("the same in a replay").hasMessage(violation.getMessage());
        return violation;
    }

    @Test
    void workAfterTheAcknowledgement_isCommittedPast() {
        SimulationViolation violation = violation(simulation(kafka -> orders(kafka)
                .map(order -> {
                    kafka.workAsync(order);
                    return order;
                })
                .to(Sink.ignore())));
        assertThat(violation)
                .hasMessageContaining("committed orders-")
                .hasMessageContaining("has begun and is not done")
                .hasMessageContaining("replay(" + violation.seed() + ")")
                .hasMessageContaining("work begins orders-");
    }

    @Test
    void filter_thatIsNotSaid_isALoss() {
        assertThat(violation(simulation(kafka ->
                        orders(kafka).filter(order -> !"k0".equals(order.key())).to(Sink.forEach(kafka::work)))))
                .hasMessageContaining("was never worked on");
    }

    @Test
    void groupThatIsNeverFull_isStuck() {
        assertThat(violation(simulation(kafka -> orders(kafka)
                        .map(order -> worked(kafka, order))
                        .grouped(10_000)
                        .to(Sink.ignore()))))
                .hasMessageContaining("was not acknowledged");
    }

    @Test
    void workersWithoutOrder_areOutOfOrder() {
        assertThat(violation(simulation(kafka -> orders(kafka)
                                .mapBlocking(4, Ordering.unordered(), order -> worked(kafka, order))
                                .to(Sink.ignore()))
                        .order(Order.KEY)))
                .hasMessageContaining("of the same key is done");
    }

    /** Regression: the violation was sorted before the other lines of its moment, and so before its cause. */
    @Test
    void violation_isInTheHistoryBehindItsCause() {
        SimulationViolation violation = violation(simulation(kafka -> orders(kafka)
                        .mapBlocking(4, Ordering.unordered(), order -> worked(kafka, order))
                        .to(Sink.ignore()))
                .order(Order.KEY));
        assertThat(violation).hasMessageStartingWith("work on orders-");
        String record = String.valueOf(violation.getMessage()).split(" ", 4)[2];
        assertThat(violation.history().stream().takeWhile(line -> !line.contains("VIOLATION")))
                .anyMatch(line -> line.contains("work begins " + record + ","));
    }

    @Test
    void retryAfterSuccess_isARepeat() {
        assertThat(violation(simulation(kafka -> orders(kafka)
                        .map(order -> worked(kafka, worked(kafka, order)))
                        .to(Sink.ignore()))))
                .hasMessageContaining("again in the same assignment");
    }

    @Test
    void atLeastOnce_isNotAtMostOnce() {
        assertThat(violation(simulation(RebalanceSimulationTest::byKey).delivery(Delivery.AT_MOST_ONCE)))
                .hasMessageContaining("before a commit past it is confirmed");
    }

    @Test
    void handlerThatThrows_failsWithItsCause() {
        assertThat(catchThrowableOfType(
                        SimulationViolation.class,
                        () -> simulation(kafka -> orders(kafka).to(Sink.forEach(order -> {
                                    throw new IllegalStateException("no such customer");
                                })))
                                .run()))
                .hasMessageContaining("the pipeline failed")
                .hasRootCauseMessage("no such customer");
    }

    // ---- Misuse ----------------------------------------------------------------------------------------------------

    @Test
    void secondConsumer_isRefused() {
        assertThatThrownBy(() -> simulation(
                                kafka -> orders(kafka).merge(orders(kafka)).to(Sink.ignore()))
                        .run())
                .hasMessageContaining("one consumer for each pipeline");
    }

    @Test
    void sinkThatCannotBeMade_isSaid() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> simulation(kafka -> orders(kafka).to(Sink.<Object>custom("broken", context -> {
                                throw new IllegalStateException("no database");
                            })))
                            .run())
                    .hasMessageContaining("does not start: java.lang.IllegalStateException: no database");
        }
    }

    @Test
    void noConsumer_isSaid() {
        assertThatThrownBy(() -> simulation(kafka -> Source.of(List.of(1)).to(Sink.ignore()))
                        .run())
                .hasMessageContaining("consumes nothing from simulation-");
    }

    /** Regression: a simulation passed although the pipeline read another topic, or only one of two topics. */
    @Test
    void topicThatThePipelineDoesNotRead_isSaid() {
        assertThatThrownBy(() -> simulation(RebalanceSimulationTest::byKey)
                        .topic("payments", 2)
                        .run())
                .hasMessageContaining("no partition of topic payments is assigned to the pipeline");
        assertThatThrownBy(() -> RebalanceSimulation.of(RebalanceSimulationTest::byKey)
                        .topic("order", 3)
                        .run())
                .hasMessageContaining("no partition of topic order is assigned to the pipeline");
    }

    /** Regression: the number of the last seed overflowed, and no seed was run. */
    @Test
    void largestSeed_isRun() {
        assertThatThrownBy(() -> simulation(kafka -> Source.of(List.of(1)).to(Sink.ignore()))
                        .seeds(Long.MAX_VALUE, 1)
                        .run())
                .hasMessageContaining("seed " + Long.MAX_VALUE);
    }

    @Test
    void settings_areChecked() {
        RebalanceSimulation none = RebalanceSimulation.of(RebalanceSimulationTest::byKey);
        assertThatThrownBy(none::run).hasMessageContaining("needs a topic");
        assertThatThrownBy(() -> none.topic("orders", 65)).hasMessageContaining("partitions=65");
        assertThatThrownBy(() -> none.topic("orders", 3).topic("orders", 3)).hasMessageContaining("added before");
        assertThatThrownBy(() -> none.seeds(1, 0)).hasMessageContaining("count=0");
    }
}
