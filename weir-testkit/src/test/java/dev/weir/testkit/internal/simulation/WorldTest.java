package dev.weir.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.testkit.RebalanceSimulation.Delivery;
import dev.weir.testkit.RebalanceSimulation.Order;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Breaks the rules as a faulty source would. Each check of emissions and commits must fail. */
class WorldTest {

    private static final TopicPartition ID = new TopicPartition("orders", 0);

    private final World world = world(Delivery.AT_LEAST_ONCE);
    private final List<ConsumerRecord<byte[], byte[]>> records = assigned(world);

    static World world(Delivery delivery) {
        return new World(
                new Scenario(
                        kafka -> {
                            throw new IllegalStateException("not run");
                        },
                        Map.of("orders", 3),
                        (id, offset) -> new ProducerRecord<>("orders", new byte[0], new byte[0]),
                        Order.NONE,
                        delivery,
                        record -> false,
                        Set.of()),
                1);
    }

    private static List<ConsumerRecord<byte[], byte[]>> assigned(World world) {
        PartitionLog log = world.log(ID);
        log.grow(20);
        world.group().assign(List.of(ID));
        log.seek(0);
        return log.read(10);
    }

    private static void emit(World world, List<ConsumerRecord<byte[], byte[]>> emitted) {
        world.check(Batch.of(emitted.toArray(), emitted.size(), AckTarget.NONE, new long[emitted.size()]));
    }

    @Test
    void emission_inOrder_isRight() {
        emit(world, records);
        assertThat(world.ledger().violation()).isNull();
    }

    @Test
    void emission_afterTheRevocation_isAViolation() {
        world.log(ID).release();
        emit(world, records);
        assertThat(world.ledger().violation()).contains("after it was taken away");
    }

    @Test
    void emission_ofAnEarlierAssignment_isAViolation() {
        world.log(ID).release();
        world.group().assign(List.of(ID));
        emit(world, records);
        assertThat(world.ledger().violation()).contains("after it was taken away");
    }

    @Test
    void emission_again_isAViolation() {
        emit(world, records);
        emit(world, records.subList(9, 10));
        assertThat(world.ledger().violation()).contains("is emitted again");
    }

    @Test
    void emission_withOneLeftOut_isAViolation() {
        emit(world, records.subList(0, 3));
        emit(world, records.subList(4, 10));
        assertThat(world.ledger().violation()).contains("is left out");
    }

    @Test
    void emission_beforeItsCommit_isAViolationAtMostOnce() {
        World atMostOnce = world(Delivery.AT_MOST_ONCE);
        List<ConsumerRecord<byte[], byte[]>> read = assigned(atMostOnce);
        atMostOnce.commit(ID, new OffsetAndMetadata(read.get(4).offset() + 1));
        emit(atMostOnce, read.subList(0, 5));
        assertThat(atMostOnce.ledger().violation()).isNull();
        emit(atMostOnce, read.subList(5, 6));
        assertThat(atMostOnce.ledger().violation()).contains("before a commit past it is confirmed");
    }

    @Test
    void commit_backwards_isAViolation() {
        world.commitElsewhere(world.log(ID), 0, 9);
        world.commit(ID, new OffsetAndMetadata(8));
        assertThat(world.ledger().violation()).contains("committed orders-0@8 after 9");
    }

    @Test
    void commit_ofWhatOthersHave_isAViolation() {
        world.log(ID).release();
        world.commit(ID, new OffsetAndMetadata(0));
        assertThat(world.ledger().violation()).contains("does not have");
    }

    /** Regression: the order of a commit's lines depended on the JVM, so a seed had several histories. */
    @Test
    void commitOfSeveralPartitions_isInTheHistoryInTheirOrder() {
        world.group().assign(world.logs().map(log -> log.id).toList());
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        List<TopicPartition> owned = world.group().owned();
        owned.reversed().forEach(id -> offsets.put(id, new OffsetAndMetadata(0)));

        world.commit(offsets);

        assertThat(world.history().lines().stream()
                        .filter(line -> line.contains("committed"))
                        .map(line -> line.replaceAll(".* |@0", "")))
                .containsExactly("orders-0", "orders-1", "orders-2");
    }

    /** Regression: a thread of the user that outlived the crash finished records in the name of the next process. */
    @Test
    void workOfACrashedProcess_doesNotBeginInTheNextOne() {
        SimulatedProcess crashed = world.start("first");
        SimulatedProcess.Gone unused = crashed.end("crashed");
        world.start("second");

        var unfinished = crashed.workAsync(records.getFirst());

        assertThat(unfinished.toCompletableFuture()).isNotDone();
        assertThat(world.history().lines()).noneMatch(line -> line.contains("work begins"));
        assertThatThrownBy(() -> crashed.work(records.getFirst())).hasMessageContaining("has crashed");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Regression: a thread of the user waited forever for work of a crashed process. */
    @Test
    @Timeout(60)
    void workOfACrashedProcess_endsWithItsPipeline() throws Exception {
        SimulatedProcess process = world.start("first");
        CompletableFuture<Void> work = new CompletableFuture<>();
        Thread user = Thread.ofPlatform().daemon().start(() -> {
            try {
                process.work(records.getFirst());
                work.complete(null);
            } catch (CompletionException interrupted) {
                work.completeExceptionally(interrupted.getCause());
            }
        });
        while (user.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        world.ledger().crashed(true);
        SimulatedProcess.Gone unused = process.end("crashed");
        world.closed();

        assertThat(work)
                .failsWithin(Duration.ofSeconds(50))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("the simulated process has crashed");
    }

    /** Regression: the simulation silently did not check the order of such an output. */
    @Test
    void outputOfARecordThatTheSourceDidNotEmit_isRefused() {
        ConsumerRecord<String, String> copied = new ConsumerRecord<>("orders", 0, 3, "key", "value");
        assertThatThrownBy(() -> Outputs.mark(copied, new ProducerRecord<>("bookings", "value")))
                .hasMessageContaining("not a record of this simulation: orders-0@3 has no leader epoch");
    }

    @Test
    void commit_pastTheEnd_isAViolation() {
        world.commitElsewhere(world.log(ID), 0, world.log(ID).end());
        world.commit(ID, new OffsetAndMetadata(world.log(ID).end() + 1));
        assertThat(world.ledger().violation()).contains("after " + world.log(ID).end());
    }
}
