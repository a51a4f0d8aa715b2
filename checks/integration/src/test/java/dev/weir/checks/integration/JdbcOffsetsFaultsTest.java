package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.jdbc.JdbcOffsets;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RestartingPipeline;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the guide's pipeline into a database: each record has exactly one row, however members or the database are
 * stopped.
 */
@Timeout(300)
class JdbcOffsetsFaultsTest {

    private static final int PARTITIONS = 4;
    private static final int PER_SECOND = 2_000;

    private static Postgres postgres;
    private static KafkaCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        postgres = Postgres.startOrSkip();
        cluster = GroupLoad.quickGroups()
                .brokerConfig("group.initial.rebalance.delay.ms", "0")
                .start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    @AfterEach
    void noWork() {
        DatabaseSamples.perRecordNanos = 0;
    }

    @Test
    void kill_eachRecordIsStoredOnce() {
        killAndFinish(1, 10_000);
    }

    @Test
    @Tag("long")
    void kill_threeTimes_eachRecordIsStoredOnce() {
        killAndFinish(3, 60_000);
    }

    private void killAndFinish(int kills, int count) {
        DataSource database = create("killed", count);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int kill = 1; kill <= kills; kill++) {
            long until = stored(database) + 1_000 + random.nextInt(count / 4);
            try (PipeProcess member = member("killed", "run")) {
                awaitStored(database, until, member);
                member.kill();
            }
            assertThat(stored(database))
                    .as("killed in the middle, seed %d", seed)
                    .isLessThan(count);
        }
        try (PipeProcess member = member("killed", "run")) {
            awaitStored(database, count, member);
        }
        assertEachOnce("seed " + seed, database, count);
    }

    /** The frozen process resumes with batches that its successor has written. */
    @Test
    void freeze_pastTheSession_whileAnotherTakesOver_itsWritesAreRefused() throws Exception {
        int count = 2_000;
        DataSource database = create("frozen", count);
        Path go = folder.resolve("go");
        try (PipeProcess zombie = member("frozen", "hold", go.toString())) {
            soon().until(() -> times(zombie.out(), "held ") == PARTITIONS || !zombie.isAlive());
            assertThat(zombie.isAlive()).as(zombie.err()).isTrue();
            zombie.signal("STOP");
            try (PipeProcess other = member("frozen", "run")) {
                awaitStored(database, count, other);
            }
            Files.createFile(go);
            zombie.signal("CONT");
            soon().until(() -> times(zombie.out(), "refused ") == PARTITIONS
                    || zombie.out().contains("stored "));
            String said = zombie.out();
            assertThat(said).doesNotContain("stored ");
            cluster.endOffsets("frozen")
                    .forEach((id, end) -> assertThat(said)
                            .containsPattern("refused \\S+PositionConflictException: " + id
                                    + ": position (none|\\d+) was" + " expected and " + end + " was found: "));
        }
        assertEachOnce(database, count);
    }

    @ParameterizedTest
    @EnumSource(value = GroupLoad.Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "CONSUMER")
    @Tag("long")
    void memberThatJoinsAndLeaves_onOtherProtocols_eachRecordIsStoredOnce_andNobodyFails(GroupLoad.Protocol protocol)
            throws Exception {
        memberThatJoinsAndLeaves_eachRecordIsStoredOnce_andNobodyFails(protocol);
    }

    @ParameterizedTest
    @EnumSource(value = GroupLoad.Protocol.class, names = "CONSUMER")
    void memberThatJoinsAndLeaves_eachRecordIsStoredOnce_andNobodyFails(GroupLoad.Protocol protocol) throws Exception {
        String name = "joined_" + protocol.name().toLowerCase(Locale.ROOT);
        DataSource database = create(name, 0);
        ConsumerSettings<byte[], byte[]> settings = GroupLoad.settings(cluster, protocol, name);
        try (NumberedLoad load = NumberedLoad.start(cluster.bootstrapServers(), name, PER_SECOND);
                JdbcOffsets offsets = JdbcOffsets.of(database, settings);
                JdbcOffsets others = JdbcOffsets.of(database, settings);
                RunningPipeline one = storing(settings, name, database, offsets).run()) {
            awaitMore(database);
            long first = fences(database);
            try (RunningPipeline other =
                    storing(settings, name, database, others).run()) {
                soon().until(() ->
                        fences(database) > first || other.completion().isDone());
                awaitMore(database);
                long fences = fences(database);
                assertThat(other.drain(Duration.ofMinutes(1)).leftUndone()).isEmpty();
                soon().until(() -> fences(database) > fences || one.completion().isDone());
            }
            awaitMore(database);
            long count = load.stop();
            soon().until(() -> stored(database) >= count || one.completion().isDone());
            assertThat(one.completion()).isNotDone();
            assertEachOnce(database, count);
        }
        assertThat(cluster.committedOffsets(name)).isEmpty();
    }

    @Test
    void databaseThatIsGone_failsTheRun_andTheNextOnesGoOnWhereItWas() throws Exception {
        DataSource database = create("gone", 0);
        ConsumerSettings<byte[], byte[]> settings = GroupLoad.settings(cluster, GroupLoad.Protocol.COOPERATIVE, "gone");
        RestartSettings again = RestartSettings.of(Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(1)));
        try (NumberedLoad load = NumberedLoad.start(cluster.bootstrapServers(), "gone", PER_SECOND);
                JdbcOffsets offsets = JdbcOffsets.of(database, settings);
                RestartingPipeline storing =
                        RestartingPipeline.run(storing(settings, "gone", database, offsets), again)) {
            awaitMore(database);
            postgres.stop();
            try {
                soon().until(() -> storing.restarts() >= 1);
            } finally {
                postgres.startAgain();
            }
            awaitMore(database);
            long count = load.stop();
            soon().until(() -> stored(database) >= count);
            assertEachOnce(database, count);
            assertThat(storing.completion()).isNotDone();
        }
    }

    // ---- Parts -----------------------------------------------------------------------------------------------------

    private static Pipeline storing(
            ConsumerSettings<byte[], byte[]> settings, String topic, DataSource database, JdbcOffsets offsets) {
        return DatabaseSamples.storing(settings, Subscription.topics(topic), database, offsets);
    }

    private static DataSource create(String name, int records) {
        cluster.createTopic(name, PARTITIONS);
        if (records > 0) {
            Records.produce(cluster.bootstrapServers(), name, 0, records);
        }
        return postgres.createSchema(name, JdbcOffsets.tableDefinition(JdbcOffsets.TABLE), DatabaseSamples.ORDERS);
    }

    private static PipeProcess member(String name, String... mode) {
        String[] args = new String[3 + mode.length];
        args[0] = cluster.bootstrapServers();
        args[1] = name;
        args[2] = postgres.url(name);
        System.arraycopy(mode, 0, args, 3, mode.length);
        return PipeProcess.startMain(JdbcMember.class.getName(), 256, args);
    }

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
    }

    private static void awaitStored(DataSource database, long records, PipeProcess member) {
        soon().until(() -> stored(database) >= records || !member.isAlive());
        assertThat(member.isAlive()).as(member.err()).isTrue();
    }

    private static void awaitMore(DataSource database) {
        long before = stored(database);
        soon().until(() -> stored(database) >= before + 1_000);
    }

    private static long stored(DataSource database) {
        return Postgres.number(database, "SELECT count(*) FROM orders");
    }

    /** Returns the sum of the fences, which grows with each takeover of a partition. */
    private static long fences(DataSource database) {
        return Postgres.number(database, "SELECT coalesce(sum(fence), 0) FROM " + JdbcOffsets.TABLE);
    }

    private static void assertEachOnce(DataSource database, long count) {
        assertEachOnce("", database, count);
    }

    private static void assertEachOnce(String what, DataSource database, long count) {
        assertThat(Postgres.number(database, "SELECT count(DISTINCT number) FROM orders WHERE number < " + count))
                .as("records stored %s", what)
                .isEqualTo(count);
        assertThat(stored(database)).as("rows %s", what).isEqualTo(count);
        assertThat(Postgres.number(database, "SELECT sum(next_offset) FROM " + JdbcOffsets.TABLE))
                .as("positions %s", what)
                .isEqualTo(count);
    }

    private static int times(String text, String part) {
        return text.split(part, -1).length - 1;
    }
}
