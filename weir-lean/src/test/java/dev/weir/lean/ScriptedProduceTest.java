package dev.weir.lean;

import static dev.weir.lean.Sends.LONG;
import static dev.weir.lean.Sends.numbers;
import static dev.weir.lean.Sends.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.WrittenLog.Fault;
import dev.weir.lean.WrittenLog.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a lean producer with responses that brokers rarely send. */
@Timeout(120)
class ScriptedProduceTest {

    private static final int PARTITIONS = 2;
    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required";

    private final Sends sends = new Sends();
    private final WrittenLog log = sends.log;
    private FakeBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
            throw new IllegalStateException("nobody fetches");
        });
        broker.partitions(PARTITIONS);
        broker.produces(log::answer);
    }

    @AfterEach
    void stop() throws Exception {
        broker.close();
    }

    /** Returns settings with batches of about forty records. */
    private LeanProducerSettings.Builder settings() throws Exception {
        return Sends.settings(broker.address()).batchBytes(1_024);
    }

    @Test
    void partitionThatWasAdded_isLookedFor() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            LeanRecord toNew = new LeanRecord(FakeBroker.TOPIC).partition(PARTITIONS);
            assertThat(producer.trySend(toNew.value(new byte[0]), 1)).isFalse();
            broker.partitions(PARTITIONS + 1);
            send(producer, PARTITIONS, 1, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(log.values(PARTITIONS)).containsExactly(1L);
    }

    @Test
    void partitionThatIsNotThere_isWaitedForAsLongAsSaid() throws Exception {
        LeanProducerSettings quick = settings().maxBlock(Duration.ofMillis(300)).build();
        try (LeanProducer producer = LeanProducer.open(quick, sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> send(producer, PARTITIONS, 1, 1))
                    .withMessageStartingWith(
                            "partition 2 of topic t, which has 2, was not found within maxBlock=PT0.3S")
                    .withCauseInstanceOf(TimeoutException.class);
            send(producer, 1, 2, 1);
        }
        assertThat(sends.acknowledged).containsExactly(0L, 2L);
    }

    /** Regression: an absurd partition number in metadata ended the producer's thread, or allocated a huge array. */
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 1, PARTITIONS + 1})
    void partitionNumber_thatNoSuchTopicHas_isIgnored(int absurd) throws Exception {
        broker.absurd(absurd);
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            send(producer, PARTITIONS - 1, 1, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            LeanRecord toNone = new LeanRecord(FakeBroker.TOPIC).partition(PARTITIONS + 1);
            assertThat(producer.trySend(toNone.value(new byte[0]), 2)).isFalse();
        }
        assertThat(sends.acknowledged).containsExactlyInAnyOrder(0L, 1L);
    }

    private static Map<String, String> secured() {
        return Map.of(
                "sasl.enabled.mechanisms",
                "SCRAM-SHA-256",
                "listener.name.l.scram-sha-256.sasl.jaas.config",
                SCRAM + ";");
    }

    private static LeanProducerSettings user(FakeBroker at, String password) throws Exception {
        return LeanProducerSettings.builder()
                .bootstrapServers(at.address())
                .property("security.protocol", "SASL_PLAINTEXT")
                .property("sasl.mechanism", "SCRAM-SHA-256")
                .property(
                        "sasl.jaas.config",
                        SCRAM + " username=\"" + FakeBroker.USER + "\" password=\"" + password + "\";")
                .maxBackoff(Duration.ofMillis(10))
                .build();
    }

    /** Brokers learn of new users at different times. */
    @Test
    void credentialsThatOneBrokerRefuses_areTriedAgain_andNothingIsLost() throws Exception {
        try (FakeBroker first =
                        new FakeBroker(SecurityProtocol.SASL_PLAINTEXT, secured(), request -> new FetchResponseData());
                FakeBroker leader = new FakeBroker(
                        SecurityProtocol.SASL_PLAINTEXT, secured(), request -> new FetchResponseData())) {
            leader.produces(log::answer);
            leader.knowsUser(false);
            first.leader(leader.port());
            try (LeanProducer producer = LeanProducer.open(user(first, FakeBroker.PASSWORD), sends)) {
                send(producer, 0, 0, 10);
                long deadlineNanos = System.nanoTime() + LONG.toNanos();
                while (leader.connections() < 3 && System.nanoTime() < deadlineNanos) {
                    producer.flush(Duration.ofMillis(10));
                }
                assertThat(leader.connections()).isGreaterThan(2);
                assertThat(sends.acknowledged).isEmpty();
                leader.knowsUser(true);
                assertThat(producer.flush(LONG)).hasToString("0 records ()");
            }
        }
        assertThat(log.values(0)).isEqualTo(numbers(0, 10));
        assertThat(sends.failed).isEmpty();
    }

    @Test
    void credentialsThatNoBrokerHasTaken_endTheProducer() throws Exception {
        try (FakeBroker secured =
                        new FakeBroker(SecurityProtocol.SASL_PLAINTEXT, secured(), request -> new FetchResponseData());
                LeanProducer producer = LeanProducer.open(user(secured, "byron"), sends)) {
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> send(producer, 0, 0, 1))
                    .withMessageContaining("did not accept the connection");
        }
    }

    /** Tests random temporary faults with several batches in flight. No record may be lost or reordered. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void randomFaults_costNoRecordAndNoOrder(int seed) throws Exception {
        Random random = new Random(seed);
        Fault[] passing = {Fault.NONE, Fault.NONE, Fault.NOT_LEADER, Fault.WRITTEN_BUT_TIMED_OUT};
        for (int i = 0; i < 40; i++) {
            log.faults.add(passing[random.nextInt(passing.length)]);
        }
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 3_000);
            send(producer, 1, 3_000, 3_000);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            assertThat(producer.metrics().resentBatches()).isPositive();
        }
        assertThat(log.values(0)).isEqualTo(numbers(0, 3_000));
        assertThat(log.values(1)).isEqualTo(numbers(3_000, 3_000));
        assertThat(sends.acknowledged).hasSize(6_000).doesNotHaveDuplicates();
        assertThat(sends.acknowledged.stream().filter(n -> n < 3_000)).isSorted();
        assertThat(sends.failures).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"LAST_LOST", "STALE_EPOCH"})
    void gapInTheLog_beginsSequencesAgain(Fault fault) throws Exception {
        List<Long> lost;
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1_000);
            producer.flush(LONG);
            lost = fault == Fault.LAST_LOST ? log.written(0).getLast().values() : List.of();
            log.faults.add(fault);
            send(producer, 0, 1_000, 1_000);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            assertThat(producer.metrics().newEpochs()).isEqualTo(1);
        }
        List<Long> wanted = new ArrayList<>(numbers(0, 2_000));
        wanted.removeAll(lost);
        assertThat(log.values(0)).isEqualTo(wanted);
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 2_000));
        List<Written> all = log.written(0);
        Written first = all.getFirst();
        Written last = all.getLast();
        if (fault == Fault.LAST_LOST) {
            assertThat(last.producerId()).isEqualTo(first.producerId());
            assertThat(last.epoch()).isEqualTo((short) (first.epoch() + 1));
        } else {
            assertThat(last.producerId()).isNotEqualTo(first.producerId());
        }
        assertThat(all.stream().filter(each -> each.sequence() == 0)).hasSize(2);
    }

    @Test
    void refusedBatch_isNamed_andThoseBehindItGoOn() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 1, 0, 500);
            producer.flush(LONG);
            log.faults.add(Fault.FORBIDDEN);
            send(producer, 1, 500, 2_000);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(List.copyOf(sends.failed)).isNotEmpty().hasSizeLessThan(200).isSorted();
        assertThat(sends.failed.peek()).isEqualTo(500);
        assertThat(sends.failures.element())
                .hasMessageStartingWith("t-1: TOPIC_AUTHORIZATION_FAILED")
                .satisfies(why -> assertThat(why.mayBeWritten()).isFalse());
        List<Long> wanted = new ArrayList<>(numbers(0, 2_500));
        wanted.removeAll(List.copyOf(sends.failed));
        assertThat(log.values(1)).isEqualTo(wanted);
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(wanted);
    }

    /** The listener stops the producer in its callback. */
    @Test
    void abort_fromWithinTheListener_letsNothingOvertakeTheRefusedBatch() throws Exception {
        AtomicReference<LeanProducer> aborted = new AtomicReference<>();
        SendListener aborting = new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int partition, long offset) {
                sends.acknowledged.add(token);
            }

            @Override
            public void failed(long token, SendException why) {
                sends.failed.add(token);
                sends.failures.add(why);
                aborted.get().abort();
            }
        };
        AtomicLong taken = new AtomicLong();
        try (LeanProducer producer = LeanProducer.open(settings().build(), aborting)) {
            aborted.set(producer);
            send(producer, 1, 0, 500);
            producer.flush(LONG);
            taken.set(500);
            log.faults.add(Fault.FORBIDDEN);
            sends.hold(broker, producer, 3);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> {
                        while (true) {
                            send(producer, 1, taken.get(), 1);
                            taken.incrementAndGet();
                        }
                    })
                    .withMessageContaining("closed");
        }
        assertThat(log.values(1)).isEqualTo(numbers(0, 500));
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 500));
        assertThat(List.copyOf(sends.failed)).isEqualTo(numbers(500, taken.get() - 500));
        assertThat(sends.failures.element()).hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThat(List.copyOf(sends.failures).getLast()).hasNoCause().hasMessageContaining("closed before");
    }

    /** With KIP-467, a broker names the record at fault. Its neighbours are not at fault. */
    @Test
    void recordThatTheBrokerNames_isRefused_andItsNeighboursAreTold() throws Exception {
        broker.produces(request -> {
            ProduceResponseData answer = log.answer(request);
            answer.responses()
                    .forEach(topic -> topic.partitionResponses().stream()
                            .filter(each -> each.errorCode() == Errors.TOPIC_AUTHORIZATION_FAILED.code())
                            .forEach(each -> each.setErrorCode(Errors.INVALID_RECORD.code())
                                    .setRecordErrors(List.of(new BatchIndexAndErrorMessage()
                                            .setBatchIndex(2)
                                            .setBatchIndexErrorMessage("no key")))));
            return answer;
        });
        try (LeanProducer producer =
                LeanProducer.open(settings().linger(Duration.ofSeconds(10)).build(), sends)) {
            log.faults.add(Fault.FORBIDDEN);
            send(producer, 0, 0, 4);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(sends.failed).containsExactly(0L, 1L, 2L, 3L);
        List<SendException> told = List.copyOf(sends.failures);
        assertThat(told.get(2)).hasMessage("t-0: no key").hasCauseInstanceOf(InvalidRecordException.class);
        assertThat(told.get(0)).hasMessageStartingWith("t-0: in one batch with").hasNoCause();
        assertThat(told.get(1)).isSameAs(told.get(0));
        assertThat(told.get(3)).isSameAs(told.get(0));
    }

    @Test
    void dividedBatch_afterSequencesBeganAgain_isWrittenWhole() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            // The first record is refused, the second finds a gap in the sequences, and the third batch is divided.
            log.faults.addAll(List.of(Fault.TOO_LARGE, Fault.NONE, Fault.TOO_LARGE));
            sends.hold(broker, producer, 3);
            send(producer, 0, 1, 1);
            producer.flush(Duration.ZERO);
            send(producer, 0, 2, 1);
            producer.flush(Duration.ZERO);
            send(producer, 0, 3, 2);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            assertThat(producer.metrics().dividedBatches()).isEqualTo(1);
            assertThat(producer.metrics().newEpochs()).isEqualTo(1);
        }
        assertThat(log.values(0)).containsExactly(0L, 2L, 3L, 4L);
        assertThat(sends.acknowledged).containsExactly(0L, 2L, 3L, 4L);
        assertThat(sends.failed).containsExactly(1L);
        assertThat(sends.failures.element().mayBeWritten()).isFalse();
    }

    /** Given a record in doubt: it stays in doubt after a change of the producer's epoch. */
    @Test
    void refusedRecord_thatWasInDoubtUnderAnotherEpoch_mayBeWritten() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.faults.addAll(List.of(Fault.NOT_LEADER, Fault.STALE_EPOCH, Fault.FORBIDDEN));
            send(producer, 0, 1, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            assertThat(producer.metrics().newEpochs()).isEqualTo(1);
        }
        assertThat(sends.failures)
                .singleElement()
                .satisfies(why -> assertThat(why.mayBeWritten()).isTrue());
    }

    @Test
    void answerThatNamesABatchTwice_isNoAnswer() throws Exception {
        broker.produces(request -> {
            ProduceResponseData answer = log.answer(request);
            List<PartitionProduceResponse> all =
                    answer.responses().iterator().next().partitionResponses();
            all.add(all.getFirst().duplicate());
            return answer;
        });
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> {
                        // The record is acknowledged before the remaining response is parsed, so the first flush may
                        // succeed.
                        while (true) {
                            producer.flush(LONG);
                        }
                    })
                    .withMessageContaining("names t-0 twice");
        }
        assertThat(sends.acknowledged).containsExactly(0L);
        assertThat(sends.failed).isEmpty();
    }

    /** The omitted batch must not stay in flight forever. */
    @Test
    void answerThatOmitsABatch_isNoAnswer() throws Exception {
        broker.produces(request -> {
            ProduceResponseData answer = log.answer(request);
            answer.responses().iterator().next().partitionResponses().clear();
            return answer;
        });
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> producer.flush(LONG))
                    .withMessageContaining("names 0 of 1 batches");
        }
        assertThat(sends.acknowledged).isEmpty();
        assertThat(sends.failures)
                .singleElement()
                .satisfies(why -> assertThat(why.mayBeWritten()).isTrue());
    }

    /** From Kafka 3.1 on, brokers know version 9. From version 13 on, requests name topics by their ids. */
    @ParameterizedTest
    @ValueSource(shorts = {9, 10, 12, 13})
    void broker_getsTheLastVersionThatBothKnow(short last) throws Exception {
        broker.lastProduceVersion(last);
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(broker.produceVersion()).isEqualTo((short) Math.min(last, 12));
        assertThat(log.values(0)).containsExactly(0L);
    }

    @Test
    void brokerThatIsTooOld_endsTheProducer_whichSaysSo() throws Exception {
        broker.lastProduceVersion((short) 8);
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            send(producer, 0, 0, 1);
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> producer.flush(LONG))
                    .withMessageContaining("takes records up to version 8 of the request;"
                            + " the lean path needs Kafka 3.1 or newer, use the official client");
        }
        assertThat(broker.produceVersion()).isEqualTo((short) -1);
        assertThat(sends.failures)
                .singleElement()
                .satisfies(why -> assertThat(why.mayBeWritten()).isFalse());
    }

    @Test
    void overdueRecord_isGivenUp_andMayBeWritten() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            log.faults.add(i == 0 ? Fault.WRITTEN_BUT_TIMED_OUT : Fault.NOT_LEADER);
        }
        LeanProducerSettings quick = settings()
                .requestTimeout(Duration.ofSeconds(1))
                .deliveryTimeout(Duration.ofMillis(1_100))
                .build();
        try (LeanProducer producer = LeanProducer.open(quick, sends)) {
            send(producer, 0, 0, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            assertThat(sends.failures).singleElement().satisfies(why -> {
                assertThat(why.mayBeWritten()).isTrue();
                assertThat(why).hasMessageStartingWith("t-0: not acknowledged within deliveryTimeout=1100 ms");
            });
            // The sequences of the next batches reveal that the first batch was written.
            log.faults.clear();
            send(producer, 0, 1, 100);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(log.values(0)).isEqualTo(numbers(0, 101));
    }

    @Test
    void throttledProducer_waits() throws Exception {
        AtomicLong answeredNanos = new AtomicLong();
        AtomicLong pauseNanos = new AtomicLong();
        broker.produces(request -> {
            long now = System.nanoTime();
            pauseNanos.set(now - answeredNanos.getAndSet(now));
            return log.answer(request);
        });
        try (LeanProducer producer = LeanProducer.open(settings().build(), sends)) {
            log.throttle(300);
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            send(producer, 0, 1, 1);
            producer.flush(LONG);
            assertThat(producer.metrics().throttledMillis()).isEqualTo(300);
        }
        assertThat(pauseNanos.get())
                .isGreaterThanOrEqualTo(Duration.ofMillis(300).toNanos());
        assertThat(log.values(0)).isEqualTo(numbers(0, 2));
    }

    @Test
    void listenerThatThrows_endsTheProducer_whichSaysSo() throws Exception {
        SendListener throwing = new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int partition, long offset) {
                sends.acknowledged.add(token);
                throw new IllegalStateException("no");
            }

            @Override
            public void failed(long token, SendException why) {
                sends.failed.add(token);
            }
        };
        AtomicLong taken = new AtomicLong();
        try (LeanProducer producer = LeanProducer.open(settings().build(), throwing)) {
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> {
                        while (true) {
                            send(producer, 0, taken.get(), 1);
                            taken.incrementAndGet();
                        }
                    })
                    .withMessageContaining("listener threw");
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> producer.flush(LONG))
                    .withMessageContaining("listener threw");
        }
        assertThat(sends.acknowledged.size() + sends.failed.size()).isEqualTo((int) taken.get());
    }
}
