package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTextTest {

    private static final String SECRET =
            "org.apache.kafka.common.security.plain.PlainLoginModule required username='u' password='hush';";

    @TempDir
    private Path folder;

    private ConsumerSettings.Builder<byte[], byte[]> from(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("orders.properties"), "bootstrap.servers=h:1\n" + text);
        return ConsumerSettings.builder().from(file);
    }

    @Test
    void file_ofBothKinds_setsWeirsOwnAndPassesOnTheRest() throws IOException {
        var settings = from("""
                        weir.commit.interval=500ms
                        weir.commit.records = 7
                        weir.max.outstanding.records: 8_000
                        weir.buffer.bytes=16MB
                        weir.revoke.deadline=PT3S
                        weir.out.of.range=nearest
                        weir.connect.timeout=1m
                        weir.commit.metadata.chars=0
                        weir.fetch=lean
                        weir.fetch.threads=2
                        weir.fetch.cpus=3, 1
                        weir.on.close=remain
                        group.id=g
                        """).build();
        assertThat(settings.properties()).isEqualTo(Map.of("bootstrap.servers", "h:1", "group.id", "g"));
        assertThat(settings.commitInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.commitRecords()).isEqualTo(7);
        assertThat(settings.maxOutstandingRecords()).isEqualTo(8_000);
        assertThat(settings.bufferBytes()).isEqualTo(16L << 20);
        assertThat(settings.revokeDeadline()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.outOfRange()).isEqualTo(OutOfRangePolicy.NEAREST);
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.commitMetadataChars()).isZero();
        assertThat(settings.fetch()).isEqualTo(FetchPath.LEAN);
        assertThat(settings.fetchThreads()).isEqualTo(2);
        assertThat(settings.fetchCpus()).containsExactly(3, 1);
        assertThat(settings.onClose()).isEqualTo(OnClose.REMAIN);
        assertThat(settings.toBuilder().build()).isEqualTo(settings).hasToString(settings.toString());
        assertThat(settings.toBuilder().onClose(OnClose.LEAVE).build()).isNotEqualTo(settings);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            max.poll.recrods=5 | no Kafka client has a setting max.poll.recrods; did you mean max.poll.records?
            linger.msec=5 | no Kafka client has a setting linger.msec; did you mean linger.ms?
            weir.comit.interval=1s | there is no setting weir.comit.interval; did you mean weir.commit.interval?
            weir.commit.interval=soon | weir.commit.interval must be a time like 500ms
            weir.commit.interval=11m | commitInterval must be
            weir.buffer.bytes=1XB | weir.buffer.bytes must be a size like
            weir.buffer.bytes=1KB | bufferBytes must be
            weir.commit.records=many | weir.commit.records must be a whole number
            weir.fetch=quickly | must be client, lean
            weir.fetch.threads=65 | fetchThreads must be 1 to 64: fetchThreads=65
            weir.fetch.threads=2 | fetchThreads=2 needs the lean path
            weir.fetch.cpus=2 | fetchCpus=[2] needs the lean path
            weir.fetch.cpus=-1 | fetchCpus must not be negative: fetchCpus=[-1]
            weir.fetch.cpus=1,x | weir.fetch.cpus must be whole numbers separated by commas
            weir.on.close=stay | must be default, leave, remain
            weir.out.of.range=first | must be fail, earliest, latest, nearest
            weir.preset=fast | must be throughput, latency, low-memory
            enable.auto.commit=true | enable.auto.commit=true would commit
            WEIR.FETCH=lean | there is no setting WEIR.FETCH; did you mean weir.fetch?
            Weir.Commit.Interval=1s | there is no setting Weir.Commit.Interval; did you mean weir.commit.interval?
            MAX.POLL.RECORDS=5 | no Kafka client has a setting MAX.POLL.RECORDS; did you mean max.poll.records?
            """)
    void wrongSetting_inAFile_isRefusedWithItsLine(String line, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> from("# a comment\n" + line + "\n").build())
                .withMessageStartingWith("orders.properties:3: ")
                .withMessageContaining(message);
    }

    private ShareSettings.Builder<byte[], byte[]> shareFrom(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("share.properties"), "bootstrap.servers=h:1\ngroup.id=g\n" + text);
        return ShareSettings.builder().from(file);
    }

    @Test
    void file_ofAShareGroup_setsItsOwnAndPassesOnTheRest() throws IOException {
        var settings = shareFrom("""
                        client.id=c
                        weir.start.at=latest
                        weir.until.end=true
                        weir.workers=60
                        weir.max.lanes=4
                        weir.connect.timeout=1m
                        weir.fetch=lean
                        weir.member.name=pod-0
                        weir.dead.letter.topic=dead
                        weir.parking=parked
                        weir.max.batch.bytes=1MB
                        weir.unreadable.batches=skip
                        weir.produce=lean
                        """).build();
        assertThat(settings.properties())
                .isEqualTo(Map.of("bootstrap.servers", "h:1", "group.id", "g", "client.id", "c"));
        assertThat(settings.start()).isEqualTo(ShareSettings.Start.LATEST);
        assertThat(settings.isUntilEnd()).isTrue();
        assertThat(settings.workers()).isEqualTo(60);
        assertThat(settings.maxLanes()).isEqualTo(4);
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.fetch()).isEqualTo(FetchPath.LEAN);
        assertThat(settings.memberName()).isEqualTo("pod-0");
        assertThat(settings.deadLetterTopic())
                .extracting(DeadLetterTopic::topic)
                .isEqualTo("dead");
        assertThat(settings.parking()).extracting(DeadLetterTopic::topic).isEqualTo("parked");
        assertThat(settings.maxBatchBytes()).isEqualTo(1L << 20);
        assertThat(settings.unreadableBatches()).isEqualTo(ConsumerSettings.UnreadableBatches.SKIP);
        assertThat(settings.toBuilder().build()).isEqualTo(settings).hasSameHashCodeAs(settings);
        assertThat(settings.toBuilder().workers(61).build()).isNotEqualTo(settings);
        assertThat(shareFrom("weir.until.end=false\n").build().isUntilEnd()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            weir.worker=1 | there is no setting weir.worker; did you mean weir.workers?
            weir.workers=0 | workers must be 1 to 100000: workers=0
            weir.workers=many | weir.workers must be a whole number
            weir.max.lanes=201 | maxLanes must be 1 to 200
            weir.start.at=middle | weir.start.at must be earliest, latest
            weir.until.end=maybe | weir.until.end must be true, false
            weir.connect.timeout=11m | connectTimeout must be
            weir.dead.letter.topic= | weir.dead.letter.topic must be a name
            weir.commit.interval=1s | there is no setting weir.commit.interval
            max.poll.records=5 | max.poll.records does not go with a share group
            max.poll.recrods=5 | no Kafka client has a setting max.poll.recrods; did you mean max.poll.records?
            """)
    void wrongSetting_inAFileOfAShareGroup_isRefusedWithItsLine(String line, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        shareFrom("# a comment\n" + line + "\nweir.parking=p\n").build())
                .withMessageStartingWith("share.properties:4: ")
                .withMessageContaining(message);
    }

    @Test
    void environment_ofAShareGroup_winsOverAFile_andItsVariableIsNamed() throws IOException {
        Map<String, String> environment = Map.of("ORDERS_WEIR_WORKERS", "9", "ORDERS_GROUP_ID", "other");
        var settings = shareFrom("weir.workers=6\n")
                .fromEnvironment(environment, "ORDERS_")
                .build();
        assertThat(settings.workers()).isEqualTo(9);
        assertThat(settings.groupId()).isEqualTo("other");
        var wrong = shareFrom("weir.workers=6\n").fromEnvironment(Map.of("ORDERS_WEIR_WORKERS", "0"), "ORDERS_");
        assertThatIllegalArgumentException()
                .isThrownBy(wrong::build)
                .withMessage("ORDERS_WEIR_WORKERS: workers must be 1 to 100000: workers=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ShareSettings.builder().from(Map.of("weir.fetch", "quickly"), key -> "orders." + key))
                .withMessage("orders.weir.fetch: weir.fetch must be client, lean: weir.fetch=quickly");
    }

    /** One file may contain the settings of both a share group and a producer. */
    @Test
    void producer_leavesTheKeysOfAShareGroupAlone() throws IOException {
        Path file = Files.writeString(
                folder.resolve("both.properties"), "bootstrap.servers=h:1\nweir.workers=0\nweir.produce=lean\n");
        assertThat(ProducerSettings.builder().from(file).build().produce()).isEqualTo(ProducePath.LEAN);
    }

    /** Regression: the last value silently won. The two lines may use different separators. */
    @Test
    void keyGivenTwice_inAFile_isRefusedWithBothLines() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> from("fetch.min.bytes=1\n\nmax.poll.records=5\nfetch.min.bytes : 2\n"))
                .withMessage("orders.properties:5: fetch.min.bytes is given twice, first in line 2; leave one out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> from("weir.fetch=lean\nweir.fetch lean\n"))
                .withMessageStartingWith("orders.properties:3: weir.fetch is given twice");
    }

    @Test
    void keyGivenTwice_inTheEnvironment_isRefusedWithBothVariables() {
        Map<String, String> environment = Map.of("ORDERS_MAX_POLL_RECORDS", "5", "ORDERS_max_poll_records", "6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConsumerSettings.builder().fromEnvironment(environment, "ORDERS_"))
                .withMessage("ORDERS_max_poll_records: max.poll.records is given twice, first by"
                        + " ORDERS_MAX_POLL_RECORDS; leave one out");
    }

    /** Regression: the first setting of the file had no effect. */
    @Test
    void byteOrderMark_atTheStartOfAFile_isSkipped() throws IOException {
        Path file = Files.writeString(
                folder.resolve("marked.properties"), "\uFEFFweir.fetch=lean\nbootstrap.servers=h:1\ngroup.id=g\n");
        assertThat(ConsumerSettings.builder().from(file).build().fetch()).isEqualTo(FetchPath.LEAN);
    }

    @Test
    void file_thatIsNotThereOrNotText_isRefusedWithItsName() throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConsumerSettings.builder().from(folder.resolve("absent")))
                .withMessageContainingAll("absent", "no such file");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xC3, (byte) 0x28});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConsumerSettings.builder().from(binary))
                .withMessageContaining("not a text in UTF-8");
    }

    @Test
    void environment_afterAFile_winsAndNamesTheVariable() throws IOException {
        Map<String, String> environment = Map.of(
                "ORDERS_MAX_POLL_RECORDS", "7",
                "ORDERS_WEIR_COMMIT_RECORDS", "9",
                "PATH", "/bin");
        var settings = from("max.poll.records=5\nweir.commit.records=6\n")
                .fromEnvironment(environment, "ORDERS_")
                .build();
        assertThat(settings.properties()).containsEntry("max.poll.records", "7").hasSize(2);
        assertThat(settings.commitRecords()).isEqualTo(9);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConsumerSettings.builder()
                        .fromEnvironment(Map.of("ORDERS_WEIR_COMMIT_RECORDS", "x"), "ORDERS_"))
                .withMessageStartingWith("ORDERS_WEIR_COMMIT_RECORDS: ");
    }

    @Test
    void settings_thatAFrameworkHasRead_areNamedAsItNamesThem() {
        Map<String, String> settings = Map.of("bootstrap.servers", "h:1", "weir.commit.interval", "0s", "acks", "1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConsumerSettings.builder()
                        .from(settings, key -> "app." + key)
                        .build())
                .withMessageStartingWith("app.weir.commit.interval: commitInterval must be ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProducerSettings.builder()
                        .from(settings, key -> "app." + key)
                        .build())
                .withMessageStartingWith("app.acks: acks=1 would ");
        assertThatNullPointerException()
                .isThrownBy(() -> ConsumerSettings.builder()
                        .from(Collections.singletonMap("group.id", null), key -> "app." + key))
                .withMessage("app.group.id");
    }

    @Test
    void producer_fromAFileForBothClients_takesWhatIsTheClients() throws IOException {
        from("linger.ms=5\nweir.commit.interval=500ms\n");
        var settings = ProducerSettings.builder()
                .from(folder.resolve("orders.properties"))
                .fromEnvironment(Map.of("ORDERS_BATCH_SIZE", "7", "PATH", "/bin"), "ORDERS_")
                .build();
        assertThat(settings.properties())
                .isEqualTo(Map.of("bootstrap.servers", "h:1", "linger.ms", "5", "batch.size", "7"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            acks=1 | acks=1 would acknowledge records
            transactional.id=t | transactional.id=t needs transactions
            enable.idempotence=false | enable.idempotence=false lets retries change the order
            weir.comit.interval=1s | there is no setting weir.comit.interval; did you mean weir.commit.interval?
            """)
    void wrongSettingOfAProducer_inAFile_isRefusedWithItsLine(String line, String message) throws IOException {
        Path file = Files.writeString(folder.resolve("out.properties"), "bootstrap.servers=h:1\n" + line + "\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProducerSettings.builder().from(file).build())
                .withMessageStartingWith("out.properties:2: ")
                .withMessageContaining(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProducerSettings.builder().fromEnvironment(" "))
                .withMessageContaining("prefix");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            retries=3 | retries=3 has no effect with produce=LEAN
            metric.reporters=x | metric.reporters=x has no effect with produce=LEAN
            partitioner.class=p.P | partitioner.class=p.P is not possible with a lean producer
            interceptor.classes=p.I | interceptor.classes=p.I is not possible with a lean producer
            enable.idempotence=false | enable.idempotence=false
            max.in.flight.requests.per.connection=6 | max.in.flight.requests.per.connection=6 has no effect
            linger.ms=120000 | linger.ms=120000 must be 0 to 60000
            request.timeout.ms=500 | request.timeout.ms=500 must be 1000 to 3600000
            max.request.size=50000000 | max.request.size=50000000 is more than buffer.memory=
            buffer.memory=500000 | buffer.memory=500000 is less than max.request.size=1048576
            retry.backoff.ms=soon | retry.backoff.ms=soon is refused
            """)
    void settingThatALeanProducerWouldIgnore_inAFile_isRefusedWithItsLine(String line, String message)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve("lean.properties"), "weir.produce=lean\nbootstrap.servers=h:1\n" + line + "\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProducerSettings.builder().from(file).build())
                .withMessageStartingWith("lean.properties:3: ")
                .withMessageContaining(message);
    }

    @Test
    void preset_inAFile_yieldsToAllOtherKeysOfIt() throws IOException {
        var settings = from("max.poll.records=77\nweir.max.outstanding.records=2000\nweir.preset=low-memory\n")
                .build();
        assertThat(settings.bufferBytes()).isEqualTo(4L << 20);
        assertThat(settings.maxOutstandingRecords()).isEqualTo(2000);
        assertThat(settings.clientConfig())
                .containsEntry("max.poll.records", "77")
                .containsEntry("fetch.max.bytes", "2097152");
    }

    @Test
    void presets_ofTheBuilder_setWhatTheySay() {
        var builder = ConsumerSettings.builder().bootstrapServers("h:1");
        assertThat(builder.throughput().build())
                .satisfies(
                        settings -> assertThat(settings.maxOutstandingRecords()).isEqualTo(65_536))
                .satisfies(settings -> assertThat(settings.properties()).containsEntry("fetch.min.bytes", "131072"))
                .satisfies(settings ->
                        assertThat(settings.warnings(Subscription.topics("t"))).isEmpty());
        assertThat(builder.latency().build().properties())
                .containsEntry("fetch.min.bytes", "1")
                .containsEntry("max.poll.records", "500");
    }

    @Test
    void secrets_areNotShown() throws IOException {
        var settings =
                from("sasl.jaas.config=" + SECRET + "\nmy.own.token=hush\n").build();
        assertThat(settings.properties()).containsEntry("sasl.jaas.config", SECRET);
        assertThat(settings.toString())
                .contains("bootstrap.servers=h:1", "[hidden]")
                .doesNotContain("hush");
        assertThat(settings.producerSettings().toString()).contains("h:1").doesNotContain("hush");
    }

    @Test
    void secretsInAddresses_areNotShown() throws IOException {
        var settings = from("""
                        sasl.oauthbearer.token.endpoint.url=https://me:hush@idp.example/token
                        sasl.oauthbearer.jwks.endpoint.url=https://idp.example/keys?access_token=hush
                        """).build();
        assertThat(settings.toString()).contains("bootstrap.servers=h:1").doesNotContain("hush");
        assertThat(settings.producerSettings().toString()).contains("h:1").doesNotContain("hush");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            max.poll.interval.ms=15000 | max.poll.interval.ms=15000 is not more than revokeDeadline
            session.timeout.ms=400000 | session.timeout.ms=400000 is more than max.poll.interval.ms
            heartbeat.interval.ms=20000 | more than a third of session.timeout.ms
            max.poll.records=20000 | max.poll.records=20000 is more than maxOutstandingRecords=16384
            auto.offset.reset=latest | what is written to a new topic while no member runs
            """)
    void riskyCombination_isToldWithItsReason(String line, String warning) throws IOException {
        Subscription pattern = Subscription.pattern("t.*");
        assertThat(from(line).build().warnings(pattern))
                .anySatisfy(risk -> assertThat(risk).contains(warning));
        assertThat(from("").build().warnings(pattern)).isEmpty();
    }

    @Test
    void onClose_thatDoesNotDoWhatIsMeant_isTold() throws IOException {
        Subscription topics = Subscription.topics("t");
        assertThat(from("group.id=g\nweir.on.close=remain\n").build().warnings(topics))
                .singleElement()
                .satisfies(risk -> assertThat(risk).contains("onClose=REMAIN without group.instance.id"));
        assertThat(from("group.id=g\ngroup.instance.id=a\nweir.on.close=remain\n")
                        .build()
                        .warnings(topics))
                .isEmpty();
        assertThat(from("weir.on.close=leave\n").build().warnings(topics))
                .singleElement()
                .satisfies(risk -> assertThat(risk).contains("onClose=LEAVE has no effect"));
    }
}
