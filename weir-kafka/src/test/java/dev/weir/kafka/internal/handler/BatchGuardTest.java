package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.batch.BatchHandler;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.handler.BatchGuard.Again;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatchGuardTest {

    private static final int ATTEMPTS = 3;

    private final FailureRules rules =
            FailureRules.NONE.withRetry(RetryPolicy.of(ATTEMPTS, Backoff.NONE)).withWayOut();
    private final List<String> claims = new ArrayList<>();
    private final Set<Long> lost = new HashSet<>();

    /** Offsets of records whose acknowledgement targets throw. */
    private final Set<Long> broken = new HashSet<>();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            claims.add("ack " + token);
            throwIfBroken(token);
        }

        @Override
        public void abandon(long token) {
            claims.add("abandon " + token);
            throwIfBroken(token);
        }

        @Override
        public boolean isRevoked(long token) {
            return lost.contains(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            if (lost.contains(token)) {
                claims.add("drop " + token);
            }
            return lost.contains(token);
        }

        @Override
        public void retain(long token, int more) {
            throw new AssertionError("no claim is added");
        }
    };

    private void throwIfBroken(long token) {
        if (broken.contains(token)) {
            throw new IllegalStateException("cannot end " + token);
        }
    }

    private static HandlerJob<byte[], byte[]> job(int number, int key) {
        var record = new ConsumerRecord<>("t", 0, number, ("k" + key).getBytes(UTF_8), new byte[0]);
        return new HandlerJob<>(new Decoded.Read<>(record, record));
    }

    private BatchJob<byte[], byte[]> batch(int... keys) {
        List<BatchMember<byte[], byte[]>> members = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            members.add(new BatchMember<>(job(i, keys[i]), target, i, keys[i]));
        }
        return new BatchJob<>(members, 0);
    }

    private static Ordering<HandlerJob<byte[], byte[]>> byKey() {
        return Ordering.byHash(job -> Integer.parseInt(new String(job.raw().key(), UTF_8).substring(1)));
    }

    /** Calls the guard until no record needs another attempt. */
    private static <K, V> void handle(BatchGuard<K, V> guard, BatchJob<K, V> batch) throws Exception {
        for (int i = 0; i < 10_000; i++) {
            try {
                assertThat(guard.handle(batch)).isSameAs(batch);
                return;
            } catch (Again again) {
                assertThat(batch.open()).isNotEmpty();
            }
        }
        throw new AssertionError("it is tried again without end");
    }

    private static List<String> outcomes(BatchJob<byte[], byte[]> batch) {
        return batch.members().stream()
                .map(member -> Objects.requireNonNull(member.outcome, "outcome")
                        .getClass()
                        .getSimpleName())
                .toList();
    }

    /** Records its calls. Throws a given number of times for some records, or forever if the number is negative. */
    private static final class Calls implements BatchHandler<byte[], byte[]> {

        final List<List<Long>> all = new ArrayList<>();
        final List<Long> done = new ArrayList<>();
        final Map<Long, Integer> throwing = new HashMap<>();
        final Map<Long, BatchOutcome> answers = new HashMap<>();

        @Override
        public List<BatchOutcome> handle(List<ConsumerRecord<byte[], byte[]>> records) throws Exception {
            all.add(records.stream().map(ConsumerRecord::offset).toList());
            List<BatchOutcome> outcomes = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                int left = throwing.getOrDefault(record.offset(), 0);
                if (left != 0) {
                    if (records.size() == 1) {
                        throwing.put(record.offset(), left - 1);
                    }
                    throw new IOException("no " + record.offset());
                }
                outcomes.add(answers.getOrDefault(record.offset(), BatchOutcome.done()));
            }
            records.forEach(record -> done.add(record.offset()));
            return outcomes;
        }
    }

    @Test
    void onePoisonRecord_isFoundWithFewCalls_andTheOthersAreDoneOnce() throws Exception {
        for (int poison : List.of(0, 1, 511, 700, 1023)) {
            Calls calls = new Calls();
            calls.throwing.put((long) poison, -1);
            var guard = new BatchGuard<>(FailureRules.NONE.withWayOut(), Ordering.unordered(), calls);
            BatchJob<byte[], byte[]> batch = batch(new int[1024]);
            handle(guard, batch);
            assertThat(calls.all).hasSizeLessThanOrEqualTo(2 * 10 + 1);
            assertThat(calls.done).hasSize(1023).doesNotHaveDuplicates();
            assertThat(calls.all.stream().filter(call -> call.contains(600L)).count())
                    .isLessThanOrEqualTo(11);
            assertThat(outcomes(batch).get(poison)).isEqualTo("Failed");
            assertThat(outcomes(batch)).filteredOn("Done"::equals).hasSize(1023);
        }
    }

    /** Regression: after one record's target threw, the source waited for the other records until its deadline. */
    @Test
    void batch_whoseRecordsTargetThrows_endsTheOtherRecords() {
        broken.add(0L);
        assertThatThrownBy(() -> batch(0, 0, 0).ack(0)).hasMessage("cannot end 0");
        assertThatThrownBy(() -> batch(0, 0, 0).abandon(0)).hasMessage("cannot end 0");
        assertThat(claims).containsExactly("ack 0", "ack 1", "ack 2", "abandon 0", "abandon 1", "abandon 2");
    }

    @Test
    void eachOutcome_becomesThatOfItsRecord() throws Exception {
        Calls calls = new Calls();
        calls.answers.put(1L, BatchOutcome.skip());
        calls.answers.put(2L, BatchOutcome.deadLetter(new IOException("bad")));
        calls.answers.put(3L, BatchOutcome.retry(new IOException("later")));
        BatchJob<byte[], byte[]> batch = batch(0, 0, 0, 0);
        handle(new BatchGuard<>(rules, Ordering.unordered(), calls), batch);
        assertThat(outcomes(batch)).containsExactly("Done", "Skipped", "Failed", "Failed");
        assertThat(calls.all).containsExactly(List.of(0L, 1L, 2L, 3L), List.of(3L), List.of(3L));
        assertThat(batch.members().getLast().outcome)
                .isInstanceOfSatisfying(
                        HandlerOutcome.Failed.class,
                        failed -> assertThat(failed.failed().attempts()).isEqualTo(ATTEMPTS));
    }

    @Test
    void recordBehindOneOfItsKeyThatIsTriedAgain_waitsForIt_andOthersDoNot() throws Exception {
        Calls calls = new Calls();
        calls.throwing.put(1L, 2);
        BatchJob<byte[], byte[]> batch = batch(7, 8, 8, 7);
        handle(new BatchGuard<>(rules, byKey(), calls), batch);
        assertThat(outcomes(batch)).containsOnly("Done");
        assertThat(calls.done).containsExactly(0L, 3L, 1L, 2L);
    }

    @Test
    void serviceThatIsDown_isNotCalledForEachRecordInVain() {
        Calls calls = new Calls();
        IntStream.range(0, 64).forEach(n -> calls.throwing.put((long) n, -1));
        BatchJob<byte[], byte[]> batch = batch(new int[64]);
        assertThatThrownBy(() -> new BatchGuard<>(rules, Ordering.unordered(), calls).handle(batch))
                .isInstanceOf(Again.class);
        assertThat(calls.all).as("64, 32, 16, 8, 4, 2, 1 and 1").hasSize(8);
    }

    @Test
    void recordsThatAreLost_areNotHandledAnyMore_andTheirClaimEndsOnce() throws Exception {
        Calls calls = new Calls();
        BatchHandler<byte[], byte[]> losing = records -> {
            lost.add(2L);
            return calls.handle(records);
        };
        calls.throwing.put(0L, 1);
        BatchJob<byte[], byte[]> batch = batch(0, 0, 0);
        handle(new BatchGuard<>(rules, Ordering.unordered(), losing), batch);
        assertThat(calls.all.stream().skip(1)).noneMatch(call -> call.contains(2L));
        assertThat(claims).containsExactly("drop 2");
        batch.abandon(0);
        assertThat(claims).containsExactly("drop 2", "abandon 0", "abandon 1");
    }

    @Test
    void handlerThatBreaksItsContract_failsAtOnceAndSaysHow() {
        BatchHandler<byte[], byte[]> tooFew = records -> List.of(BatchOutcome.done());
        assertThatThrownBy(() -> new BatchGuard<>(rules, Ordering.unordered(), tooFew).handle(batch(0, 0)))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("returned 1 outcomes")
                .hasMessageContaining("for 2 records from t-0@0");
    }

    // Regression: outcomes in an immutable list were treated as a failure of the handler.
    @Test
    void outcomesInAnImmutableList_areTaken() throws Exception {
        BatchHandler<byte[], byte[]> immutable = records -> List.of(BatchOutcome.done(), BatchOutcome.skip());
        BatchJob<byte[], byte[]> batch = batch(0, 0);
        handle(new BatchGuard<>(rules, Ordering.unordered(), immutable), batch);
        assertThat(outcomes(batch)).containsExactly("Done", "Skipped");
    }

    @Test
    void breakerThatIsWaitedFor_letsLostRecordsGo_andHasAllItsPermitsBack() throws Exception {
        CircuitBreaker breaker =
                CircuitBreaker.consecutive(1, Duration.ofMillis(1)).withProbes(1);
        Calls calls = new Calls();
        calls.throwing.put(0L, 1);
        BatchHandler<byte[], byte[]> losing = records -> {
            lost.add(1L);
            return calls.handle(records);
        };
        BatchJob<byte[], byte[]> batch = batch(0, 0, 0, 0);
        var guard = new BatchGuard<>(rules.withBreaker(breaker), Ordering.unordered(), losing);
        handle(guard, batch);
        assertThat(calls.all.stream().skip(1)).noneMatch(call -> call.contains(1L));
        assertThat(claims).containsExactly("drop 1");
        assertThat(breaker.snapshot().state()).isEqualTo(CircuitBreaker.State.CLOSED);
    }

    @Test
    void onePoisonRecord_isOneFailureToTheBreaker() throws Exception {
        CircuitBreaker breaker = CircuitBreaker.consecutive(2, Duration.ofHours(1));
        Calls calls = new Calls();
        calls.throwing.put(0L, 1);
        BatchJob<byte[], byte[]> batch = batch(0, 0, 0, 0, 0, 0, 0, 0);
        handle(new BatchGuard<>(rules.withBreaker(breaker), Ordering.unordered(), calls), batch);
        assertThat(outcomes(batch)).containsOnly("Done");
        assertThat(breaker.snapshot().state()).isEqualTo(CircuitBreaker.State.CLOSED);
    }

    @Test
    void recordsThatAreAnsweredAsRetry_areTriedAgainTogether() throws Exception {
        List<Integer> sizes = new ArrayList<>();
        BatchHandler<byte[], byte[]> second = records -> {
            sizes.add(records.size());
            return sizes.size() == 1
                    ? Collections.nCopies(records.size(), BatchOutcome.retry(new IOException("down")))
                    : BatchOutcome.allDone(records);
        };
        BatchJob<byte[], byte[]> batch = batch(0, 1, 2, 0, 1, 2);
        handle(new BatchGuard<>(rules, byKey(), second), batch);
        assertThat(sizes).containsExactly(6, 6);
        assertThat(outcomes(batch)).containsOnly("Done");
    }

    @Test
    void lostRecordsOfABatchThatWaits_endTheirClaims_thoughTheOthersGoOn() {
        BatchJob<byte[], byte[]> batch = batch(0, 0, 0);
        lost.add(1L);
        assertThat(batch.isRevoked(0)).isFalse();
        assertThat(claims).containsExactly("drop 1");
        lost.addAll(List.of(0L, 2L));
        assertThat(batch.isRevoked(0)).isTrue();
        assertThat(claims).containsExactly("drop 1", "drop 0", "drop 2");
    }

    @Test
    void deadLetterWithoutATopic_failsAndNamesTheRecord() {
        Calls calls = new Calls();
        calls.answers.put(1L, BatchOutcome.deadLetter(new IOException("bad")));
        assertThatThrownBy(() -> new BatchGuard<>(FailureRules.NONE, Ordering.unordered(), calls).handle(batch(0, 0)))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("t-0@1")
                .hasMessageContaining("deadLetter(...)");
    }

    @Test
    void undecodableRecord_isNotGivenToTheHandler() throws Exception {
        Calls calls = new Calls();
        var raw = new ConsumerRecord<byte[], byte[]>("t", 0, 9, new byte[0], new byte[0]);
        HandlerJob<byte[], byte[]> refused = new HandlerJob<>(
                new Decoded.Refused<>(raw, new RecordDecodeException("t", 0, 9, new IOException("not a number"))));
        BatchJob<byte[], byte[]> batch = new BatchJob<>(
                new ArrayList<>(List.of(
                        new BatchMember<>(refused, target, 9, Ordering.NO_KEY),
                        new BatchMember<>(job(1, 0), target, 1, 0))),
                0);
        handle(new BatchGuard<>(rules, Ordering.unordered(), calls), batch);
        assertThat(outcomes(batch)).containsExactly("Failed", "Done");
        assertThat(calls.all).containsExactly(List.of(1L));
    }

    // Each seed determines a batch, its failures and its outcomes.
    @Test
    void anyBatch_givesEachRecordOneOutcome_andKeepsTheOrderOfKeys() throws Exception {
        for (long seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            int[] keys = random.ints(1 + random.nextInt(40), 0, 1 + random.nextInt(5))
                    .toArray();
            Calls calls = new Calls();
            for (long n = 0; n < keys.length; n++) {
                if (random.nextInt(6) == 0) {
                    calls.throwing.put(n, random.nextBoolean() ? -1 : random.nextInt(ATTEMPTS));
                } else if (random.nextInt(6) == 0) {
                    calls.answers.put(
                            n,
                            random.nextBoolean()
                                    ? BatchOutcome.skip()
                                    : BatchOutcome.deadLetter(new IOException("no")));
                }
            }
            Map<Long, Integer> throwing = Map.copyOf(calls.throwing);
            Ordering<HandlerJob<byte[], byte[]>> ordering = switch (random.nextInt(3)) {
                case 0 -> Ordering.unordered();
                case 1 -> Ordering.input();
                default -> byKey();
            };
            BatchJob<byte[], byte[]> batch = batch(keys);
            handle(new BatchGuard<>(rules, ordering, calls), batch);
            assertOutcomes(seed, batch, throwing, calls);
            assertThat(calls.done).as("seed %s", seed).doesNotHaveDuplicates();
            if (ordering.isInput()) {
                assertThat(calls.done).as("seed %s", seed).isSorted();
            } else if (ordering.isKeyed()) {
                for (int key : keys) {
                    assertThat(calls.done.stream().filter(n -> keys[n.intValue()] == key))
                            .as("seed %s, key %s", seed, key)
                            .isSorted();
                }
            }
        }
    }

    private static void assertOutcomes(
            long seed, BatchJob<byte[], byte[]> batch, Map<Long, Integer> throwing, Calls calls) {
        List<String> outcomes = outcomes(batch);
        for (int n = 0; n < outcomes.size(); n++) {
            boolean isPoison = throwing.getOrDefault((long) n, 0) < 0;
            String answered = switch (calls.answers.getOrDefault((long) n, BatchOutcome.done())) {
                case BatchOutcome.Skip skip -> "Skipped";
                case BatchOutcome.DeadLetter deadLetter -> "Failed";
                default -> "Done";
            };
            assertThat(outcomes.get(n)).as("seed %s, record %s", seed, n).isEqualTo(isPoison ? "Failed" : answered);
            assertThat(calls.done.contains((long) n)).isNotEqualTo(isPoison);
        }
    }

    private static Stage<HandlerJob<byte[], byte[]>> upstream(Queue<Batch<HandlerJob<byte[], byte[]>>> batches) {
        return new Stage<>() {
            @Override
            public @Nullable Batch<HandlerJob<byte[], byte[]>> pull(long deadlineNanos) {
                return batches.poll();
            }

            @Override
            public void close() {}
        };
    }

    private Queue<Batch<HandlerJob<byte[], byte[]>>> records(int... keys) {
        Batch<HandlerJob<byte[], byte[]>> all = new Batch<>(0);
        for (int i = 0; i < keys.length; i++) {
            all.add(job(i, keys[i]), target, i);
        }
        return new ArrayDeque<>(List.of(all));
    }

    @Test
    void stages_gatherByLane_andGiveEachRecordItsOwnClaimBack() throws Exception {
        var limits = new BatchStage.Limits<>(2, Duration.ofHours(1).toNanos(), byKey(), 8);
        var gathering = new BatchStage<>(upstream(records(1, 2, 1, 1)), new BareContext(), limits);
        BatchGuard<byte[], byte[]> guard = new BatchGuard<>(rules, byKey(), all -> BatchOutcome.allDone(all));
        List<List<Long>> batches = new ArrayList<>();
        Stage<BatchJob<byte[], byte[]>> handled = new Stage<>() {
            @Override
            public @Nullable Batch<BatchJob<byte[], byte[]>> pull(long deadlineNanos) throws InterruptedException {
                Batch<BatchJob<byte[], byte[]>> pulled = gathering.pull(deadlineNanos);
                for (int i = 0; pulled != null && i < pulled.size(); i++) {
                    assertThat(pulled.target(i)).isSameAs(pulled.get(i));
                    batches.add(pulled.get(i).members().stream()
                            .map(member -> member.token)
                            .toList());
                    try {
                        handle(guard, pulled.get(i));
                    } catch (Exception unexpected) {
                        throw new AssertionError(unexpected);
                    }
                }
                return pulled;
            }

            @Override
            public void close() {
                gathering.close();
            }
        };
        var outcomes = new UnbatchStage<>(handled, new BareContext().meter());
        for (var out = outcomes.pull(Stage.NEVER); out != null; out = outcomes.pull(Stage.NEVER)) {
            out.ackAll();
        }
        outcomes.close();
        assertThat(batches).contains(List.of(0L, 2L)).hasSize(3);
        assertThat(claims).containsExactlyInAnyOrder("ack 0", "ack 1", "ack 2", "ack 3");
    }

    @Test
    void failureAbove_comesBehindWhatWasGatheredBefore() throws Exception {
        Queue<Batch<HandlerJob<byte[], byte[]>>> batches = records(1, 1, 1);
        Stage<HandlerJob<byte[], byte[]>> above = upstream(batches);
        Stage<HandlerJob<byte[], byte[]>> failing = new Stage<>() {
            @Override
            public @Nullable Batch<HandlerJob<byte[], byte[]>> pull(long deadlineNanos) throws InterruptedException {
                if (batches.isEmpty()) {
                    throw new IllegalStateException("above");
                }
                return above.pull(deadlineNanos);
            }

            @Override
            public void close() {}
        };
        var limits = new BatchStage.Limits<>(2, Duration.ofHours(1).toNanos(), byKey(), 1);
        var gathering = new BatchStage<>(failing, new BareContext(), limits);
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Batch<BatchJob<byte[], byte[]>> out = Objects.requireNonNull(gathering.pull(Stage.NEVER));
            for (int j = 0; j < out.size(); j++) {
                sizes.add(out.get(j).members().size());
            }
        }
        assertThat(sizes).containsExactly(2, 1);
        assertThatThrownBy(() -> gathering.pull(Stage.NEVER)).hasMessage("above");
        gathering.close();
        assertThat(claims).isEmpty();
    }

    @Test
    void stageThatIsClosed_abandonsWhatItHasGathered() throws Exception {
        var limits = new BatchStage.Limits<>(10, Duration.ofHours(1).toNanos(), byKey(), 1);
        var gathering = new BatchStage<>(upstream(records(1, 2)), new BareContext(), limits);
        assertThat(Objects.requireNonNull(gathering.pull(System.nanoTime())).isEmpty())
                .isTrue();
        gathering.close();
        assertThat(claims).containsExactly("abandon 0", "abandon 1");
    }
}
