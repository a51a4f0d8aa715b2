package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.internal.net.TlsKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import org.agrona.concurrent.AgentRunner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests responses that real brokers send rarely, or only to clients with certificates or passwords. */
class ScriptedBrokerTest {

    private static final Duration LONGEST = Duration.ofSeconds(50);

    private final FakeLog log = new FakeLog();
    private final List<Long> offsets = new ArrayList<>();

    @TempDir
    private Path folder;

    private static LeanSettings.Builder settings(FakeBroker broker) throws IOException {
        return LeanSettings.builder().bootstrapServers(broker.address());
    }

    private void pollUntil(LeanConsumer consumer, BooleanSupplier done) {
        FakeLog.pollUntil(consumer, record -> offsets.add(record.offset()), done);
    }

    private boolean hasAll() {
        return offsets.size() >= FakeLog.END;
    }

    @Test
    void corruptBatch_isAFaultAtItsOffset_andCanBeSkipped() throws Exception {
        log.batches.get(1).put(70, (byte) ~log.batches.get(1).get(70));
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            assertThatExceptionOfType(CorruptBatchException.class)
                    .isThrownBy(() -> pollUntil(consumer, this::hasAll))
                    .satisfies(fault -> {
                        assertThat(fault.topic()).isEqualTo(FakeBroker.TOPIC);
                        assertThat(fault.partition()).isZero();
                        assertThat(fault.offset()).isEqualTo(10);
                    });
            assertThat(offsets).hasSize(10);
            consumer.skipBatch(index);
            pollUntil(consumer, () -> offsets.size() == 20);
            assertThat(offsets.get(10)).isEqualTo(20);
        }
    }

    @Test
    void corruptBatch_withThePolicyToSkip_isLeftOutAndCounted() throws Exception {
        log.batches.get(1).put(70, (byte) ~log.batches.get(1).get(70));
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(
                        settings(broker).onCorruptBatch(CorruptBatchPolicy.SKIP).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, () -> offsets.size() == 20);
            assertThat(offsets.get(10)).isEqualTo(20);
            assertThat(consumer.metrics().corruptBatches()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_LEADER_OR_FOLLOWER",
        "FENCED_LEADER_EPOCH",
        "UNKNOWN_LEADER_EPOCH",
        "UNKNOWN_TOPIC_ID",
        "KAFKA_STORAGE_ERROR",
        "REQUEST_TIMED_OUT",
        "UNKNOWN_SERVER_ERROR",
        "OFFSET_NOT_AVAILABLE"
    })
    void errorThatPasses_isNotSeen(Errors error) throws Exception {
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> log.fetches.getAndIncrement() < 2 ? FakeLog.failing(error) : log.serve(request));
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, this::hasAll);
            assertThat(offsets).doesNotHaveDuplicates().isSorted();
        }
    }

    /** Regression: the consumer retried forever without logging anything. */
    @Test
    void logThatIsCorruptAtTheBroker_isAFault() throws Exception {
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT, Map.of(), request -> FakeLog.failing(Errors.CORRUPT_MESSAGE));
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(4));
            assertThatExceptionOfType(PartitionException.class)
                    .isThrownBy(() -> pollUntil(consumer, this::hasAll))
                    .withMessageContaining("t-0@4")
                    .withMessageContaining("CORRUPT_MESSAGE");
        }
    }

    /** Regression: the same response was requested again and again over new connections. */
    @Test
    void answerTooLargeWithoutABatchToBlame_isAnErrorThatNamesTheLimit() throws Exception {
        List<AbortedTransaction> many = Collections.nCopies(5_000, new AbortedTransaction());
        FetchResponseData large =
                FakeLog.answer(new PartitionData().setAbortedTransactions(many).setRecords(MemoryRecords.EMPTY));
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> large);
                LeanConsumer consumer = LeanConsumer.open(settings(broker)
                        .maxFetchBytes(1_024)
                        .maxResponseBytes(70_000)
                        .build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> pollUntil(consumer, this::hasAll))
                    .withMessageContaining("maxResponseBytes=70000");
        }
    }

    @ParameterizedTest
    @CsvSource({"FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH", "FETCH_SESSION_TOPIC_ID_ERROR"})
    void lostSession_isBegunAgain(Errors error) throws Exception {
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> log.fetches.getAndIncrement() == 0
                                ? new FetchResponseData().setErrorCode(error.code())
                                : log.serve(request));
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, this::hasAll);
        }
    }

    @Test
    void rightThatIsMissing_isAFaultOfThePartition() throws Exception {
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> FakeLog.failing(Errors.TOPIC_AUTHORIZATION_FAILED));
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(4));
            assertThatExceptionOfType(PartitionException.class)
                    .isThrownBy(() -> pollUntil(consumer, this::hasAll))
                    .withMessageContaining("t-0@4")
                    .withMessageContaining("authorised");
        }
    }

    @ParameterizedTest
    @CsvSource({"FAIL", "BEGINNING", "END"})
    void truncatedLog_isAFault_orGoesOnWhereItDiffers(OffsetLostPolicy policy) throws Exception {
        FetchResponseData diverging = FakeLog.failing(Errors.NONE);
        diverging
                .responses()
                .getFirst()
                .partitions()
                .getFirst()
                .setDivergingEpoch(
                        new EpochEndOffset().setEpoch(Batches.EPOCH - 1).setEndOffset(20));
        List<Integer> epochs = new ArrayList<>();
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
                    if (!request.topics().isEmpty()) {
                        var wanted = request.topics().getFirst().partitions().getFirst();
                        epochs.add(wanted.lastFetchedEpoch());
                        if (wanted.fetchOffset() == 30 && wanted.lastFetchedEpoch() == Batches.EPOCH) {
                            return diverging;
                        }
                    }
                    return log.serve(request);
                });
                LeanConsumer consumer =
                        LeanConsumer.open(settings(broker).onOffsetLost(policy).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            if (policy == OffsetLostPolicy.FAIL) {
                assertThatExceptionOfType(OffsetLostException.class)
                        .isThrownBy(() -> pollUntil(consumer, () -> false))
                        .satisfies(fault -> assertThat(fault.divergentOffset()).isEqualTo(20));
                assertThat(offsets).hasSize(30);
            } else {
                pollUntil(consumer, () -> offsets.size() >= 40);
                assertThat(offsets.subList(30, 40)).startsWith(20L).isSorted();
                assertThat(consumer.metrics().resets()).isPositive();
            }
        }
        assertThat(epochs).startsWith(-1).contains(Batches.EPOCH);
    }

    @Test
    void runner_readsOnAThreadOfAgrona_andClosesTheConsumer() throws Exception {
        CountDownLatch all = new CountDownLatch(FakeLog.END);
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve)) {
            LeanConsumer consumer = LeanConsumer.open(settings(broker).build());
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            LeanRunner runner = new LeanRunner(consumer, record -> all.countDown());
            AgentRunner agent = new AgentRunner(runner.idleStrategy(), error -> {}, null, runner);
            AgentRunner.startOnThread(agent);
            assertThat(all.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
            agent.close();
            assertThat(agent.isClosed()).isTrue();
        }
    }

    /** Throttling brokers send responses without partitions, and after a full fetch also without a session id. */
    @Test
    void brokerThatThrottles_isLeftAlone_andAskedForTheSameAfterwards() throws Exception {
        Throttling throttling = new Throttling();
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), throttling::answer);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, this::hasAll);
            assertThat(offsets)
                    .isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
            assertThat(consumer.metrics().throttledMillis()).isEqualTo(3L * Throttling.MILLIS);
            assertThat(consumer.metrics().fetches()).isEqualTo(6);
        }
        // The pause starts when the response is received, so it looks slightly shorter here.
        assertThat(throttling.pausesNanos)
                .hasSize(3)
                .allMatch(pause -> pause > TimeUnit.MILLISECONDS.toNanos(Throttling.MILLIS / 2));
    }

    /** A broker with a fetch session. Every second response is empty, from the first response on. */
    private final class Throttling {

        private static final int MILLIS = 200;
        private static final int SESSION = 77;

        private final List<Long> pausesNanos = Collections.synchronizedList(new ArrayList<>());
        private int nextEpoch;
        private FetchTopic told = new FetchTopic();
        private boolean emptied;
        private long emptiedNanos;

        FetchResponseData answer(FetchRequestData request) {
            boolean full = request.sessionEpoch() == 0;
            if (!full && (request.sessionId() != SESSION || request.sessionEpoch() != nextEpoch)) {
                return new FetchResponseData().setErrorCode(Errors.INVALID_FETCH_SESSION_EPOCH.code());
            }
            nextEpoch = full ? 1 : nextEpoch + 1;
            if (!request.topics().isEmpty()) {
                told = request.topics().getFirst();
            }
            long now = System.nanoTime();
            emptied = !emptied;
            if (emptied) {
                emptiedNanos = now;
                return new FetchResponseData().setThrottleTimeMs(MILLIS).setSessionId(full ? 0 : SESSION);
            }
            pausesNanos.add(now - emptiedNanos);
            return log.serve(new FetchRequestData().setTopics(List.of(told)), 1).setSessionId(SESSION);
        }
    }

    @Test
    void answerThatMakesNoSense_isAnErrorThatNamesTheBroker() throws Exception {
        ApiMessage nonsense =
                FakeLog.answer(new PartitionData().setRecords(MemoryRecords.readableRecords(ByteBuffer.allocate(40))));
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> nonsense);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(5));
            assertThatExceptionOfType(CorruptBatchException.class).isThrownBy(() -> pollUntil(consumer, this::hasAll));
        }
    }

    private Map<String, String> server(String protocol, String mechanism) throws Exception {
        Map<String, String> config = new HashMap<>();
        if (protocol.startsWith("SASL")) {
            config.put("sasl.enabled.mechanisms", mechanism);
            config.put(
                    "listener.name.l." + mechanism.toLowerCase(Locale.ROOT) + ".sasl.jaas.config",
                    serverJaas(mechanism));
            if (mechanism.equals("OAUTHBEARER")) {
                config.put(
                        "listener.name.l.oauthbearer.sasl.server.callback.handler.class",
                        "org.apache.kafka.common.security.oauthbearer.internals.unsecured"
                                + ".OAuthBearerUnsecuredValidatorCallbackHandler");
            }
        }
        if (protocol.endsWith("SSL")) {
            config.put("ssl.keystore.location", TlsKeys.in(folder).toString());
            config.put("ssl.keystore.password", TlsKeys.PASSWORD);
            config.put("ssl.key.password", TlsKeys.PASSWORD);
        }
        return config;
    }

    private static String serverJaas(String mechanism) {
        return switch (mechanism) {
            case "PLAIN" ->
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_" + FakeBroker.USER + "=\""
                        + FakeBroker.PASSWORD + "\";";
            case "OAUTHBEARER" ->
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
                        + " unsecuredLoginStringClaim_sub=\"server\";";
            default -> "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        };
    }

    private static String clientJaas(String mechanism, String password) {
        return switch (mechanism) {
            case "PLAIN" ->
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + FakeBroker.USER
                        + "\" password=\"" + password + "\";";
            case "OAUTHBEARER" ->
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
                        + " unsecuredLoginStringClaim_sub=\"ada\";";
            default ->
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + FakeBroker.USER
                        + "\" password=\"" + password + "\";";
        };
    }

    private LeanSettings client(FakeBroker broker, String protocol, String mechanism, String password)
            throws Exception {
        LeanSettings.Builder settings = settings(broker).property("security.protocol", protocol);
        if (protocol.startsWith("SASL")) {
            settings.property("sasl.mechanism", mechanism)
                    .property("sasl.jaas.config", clientJaas(mechanism, password));
        }
        if (protocol.endsWith("SSL")) {
            settings.property("ssl.truststore.location", TlsKeys.in(folder).toString())
                    .property("ssl.truststore.password", TlsKeys.PASSWORD);
        }
        return settings.build();
    }

    @ParameterizedTest
    @CsvSource({
        "SSL,",
        "SASL_PLAINTEXT, PLAIN",
        "SASL_PLAINTEXT, SCRAM-SHA-256",
        "SASL_PLAINTEXT, OAUTHBEARER",
        "SASL_SSL, SCRAM-SHA-256"
    })
    void securedBroker_isReadLikeAnyOther(String protocol, String mechanism) throws Exception {
        try (FakeBroker broker =
                        new FakeBroker(SecurityProtocol.forName(protocol), server(protocol, mechanism), log::serve);
                LeanConsumer consumer = LeanConsumer.open(client(broker, protocol, mechanism, FakeBroker.PASSWORD))) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, this::hasAll);
            assertThat(offsets).doesNotHaveDuplicates().isSorted();
        }
    }

    /** Fails for the second connection only, as a Kerberos login between its logout and its next login. */
    public static final class InterruptedLogin extends SaslClientCallbackHandler {

        private static final AtomicInteger CONNECTIONS = new AtomicInteger();

        @Override
        public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
            if (CONNECTIONS.incrementAndGet() == 2) {
                throw new KafkaException("no credentials at the moment");
            }
            super.handle(callbacks);
        }
    }

    /** Regression: after a temporary failure, the channel was never built. */
    @Test
    void channelThatCannotBeBuiltNow_isBuiltLater() throws Exception {
        InterruptedLogin.CONNECTIONS.set(0);
        try (FakeBroker broker =
                new FakeBroker(SecurityProtocol.SASL_PLAINTEXT, server("SASL_PLAINTEXT", "PLAIN"), log::serve)) {
            LeanSettings.Builder settings = settings(broker)
                    .property("security.protocol", "SASL_PLAINTEXT")
                    .property("sasl.mechanism", "PLAIN")
                    .property("sasl.jaas.config", clientJaas("PLAIN", FakeBroker.PASSWORD))
                    .property("sasl.client.callback.handler.class", InterruptedLogin.class.getName());
            try (LeanConsumer consumer = LeanConsumer.open(settings.build())) {
                consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
                pollUntil(consumer, this::hasAll);
                assertThat(offsets).doesNotHaveDuplicates().isSorted();
                assertThat(InterruptedLogin.CONNECTIONS).hasValueGreaterThan(2);
            }
        }
    }

    @Test
    void wrongPassword_isAnErrorThatSaysSo() throws Exception {
        try (FakeBroker broker =
                        new FakeBroker(SecurityProtocol.SASL_PLAINTEXT, server("SASL_PLAINTEXT", "PLAIN"), log::serve);
                LeanConsumer consumer = LeanConsumer.open(client(broker, "SASL_PLAINTEXT", "PLAIN", "byron"))) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> pollUntil(consumer, this::hasAll))
                    .withMessageContaining("did not accept the connection")
                    .withMessageContaining("Invalid username or password");
        }
    }
}
