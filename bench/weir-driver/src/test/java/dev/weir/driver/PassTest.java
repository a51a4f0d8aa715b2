package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PassTest {

    @Test
    void connection_isBelowWhatDriverAndWorkloadSay_andReachesEveryClient() {
        Pass pass = new Pass(
                new Command.Configure(
                        "h:1",
                        Map.of("ssl.key.password", "hush", "fetch.min.bytes", "1", "max.poll.records", "1"),
                        "t",
                        1,
                        1,
                        16,
                        Scenario.CONSUME,
                        Map.of("fetch.min.bytes", "3"),
                        Map.of(),
                        1000),
                new Command.Start("g", 0, 1));
        assertThat(pass.clientConfig().consumer(Map.of("max.poll.records", "2")))
                .containsEntry("ssl.key.password", "hush")
                .containsEntry("max.poll.records", "2")
                .containsEntry("fetch.min.bytes", "3");
        assertThat(pass.clientConfig().producer(Map.of())).containsEntry("ssl.key.password", "hush");
        assertThat(pass.clientConfig().connection()).containsEntry("bootstrap.servers", "h:1");
        assertThat(pass.configuration().toString()).doesNotContain("hush");
    }

    /** The measured time begins with the first commit, so records of that transaction must not count. */
    @Test
    void firstTransaction_tookItsTimeBeforeTimeCounts_soItsRecordsDoNot() {
        Pass pass = pass(Scenario.PRODUCE, Map.of());
        pass.committed(450);
        assertThat(pass.isDone()).isFalse();
        pass.committed(450);
        assertThat(pass.isDone()).isTrue();
        Report.Passed passed = pass.result();
        assertThat(passed.complete()).isTrue();
        assertThat(passed.records()).isEqualTo(450);
        assertThat(passed.bytes()).isEqualTo(450 * 16);
        assertThat(passed.ledger().distinct()).isEqualTo(900);
    }

    /** Regression: the last failure replaced the first one. */
    @Test
    void failure_isTheFirstOne_notWhatFollowedFromIt() {
        Pass pass = pass(Scenario.PRODUCE, Map.of());
        pass.fail(new IllegalStateException("record too large"));
        pass.fail(new IllegalStateException("producer is closed"));
        assertThatThrownBy(pass::requireNoFailure).hasMessageContaining("record too large");
    }

    /** Regression: a delayed sampler reported more records in its last interval than the pass had. */
    @Test
    void whatComesAfterTheEnd_isInNoInterval() throws Exception {
        Pass pass = pass(Scenario.CONSUME, Map.of());
        deliver(pass, 10);
        Course.Mark before = pass.course().mark();
        assertThat(before.records()).isEqualTo(10);
        assertThat(pass.course().endsAt(before)).isFalse();
        pass.course().endNow();
        for (long number = 10; number < 900; number++) {
            pass.delivered(0, number, 0, 16);
        }
        Course.Mark last = pass.course().mark();
        assertThat(pass.course().endsAt(last)).isTrue();
        assertThat(last.records()).isEqualTo(10);
        Report.Passed passed = pass.result();
        assertThat(last.records()).isEqualTo(passed.records());
        assertThat(last.bytes()).isEqualTo(passed.bytes());
    }

    /** The ledgers reveal a driver that mistakes a partition of the second topic for a partition of the first. */
    @Test
    void ledgerOfSeveralTopics_isOfEachToo() {
        Pass pass = new Pass(
                new Command.Configure("h:1", Map.of(), "a,b", 4, 2, 16, Scenario.CONSUME, Map.of(), Map.of(), 1000),
                new Command.Start("g", 0, 1));
        for (int partition = 0; partition < 2; partition++) {
            pass.delivered(pass.topics().number("a", partition), 0, 0, 16);
            pass.delivered(pass.topics().number("a", partition), 1, 0, 16);
        }
        pass.delivered(pass.topics().number("b", 0), 0, 0, 16);
        pass.delivered(pass.topics().number("b", 0), 1, 0, 16);
        pass.delivered(pass.topics().number("b", 1), 1, 0, 16);
        pass.delivered(pass.topics().number("b", 1), 1, 0, 16);
        LedgerFigures ledger = pass.result().ledger();
        assertThat(ledger.topics()).containsExactly(new LedgerFigures(4, 0, 0, 0, 0), new LedgerFigures(3, 1, 1, 0, 0));
        assertThat(ledger.with(List.of())).isEqualTo(new LedgerFigures(7, 1, 1, 0, 0));
    }

    @Test
    void slowSink_takesNoMoreThanItsRate() {
        Pass pass = pass(Scenario.CONSUME, Map.of(PassOptions.SINK_RATE, "10000"));
        deliver(pass, 1000);
        // The pass leaves out a last wait of less than a millisecond.
        assertThat(pass.result().nanos()).isGreaterThan(98_000_000);
    }

    @Test
    void cutOffAmidUnorderedWork_doesNotMissWhatWasUnderWay() {
        Pass pass = pass(Scenario.WORK, Map.of(PassOptions.ORDERING, "none"));
        for (long number = 1; number <= 900; number++) {
            pass.deliveredConcurrently(0, null, pass.value(number));
        }
        assertThat(pass.result().ledger().missing()).isZero();
    }

    @Test
    void order_isCountedOnlyWhereOneIsAskedFor() {
        assertThat(reordered("partition")).isOne();
        assertThat(reordered("none")).isZero();
    }

    private static long reordered(String ordering) {
        Pass pass = pass(Scenario.WORK, Map.of(PassOptions.ORDERING, ordering));
        pass.deliveredConcurrently(0, null, pass.value(1));
        pass.deliveredConcurrently(0, null, pass.value(0));
        for (long number = 2; number < 900; number++) {
            pass.deliveredConcurrently(0, null, pass.value(number));
        }
        return pass.result().ledger().reordered();
    }

    @Test
    void cutOffAmidUnorderedWork_missesWhatIsFarBehind() {
        Pass pass = new Pass(
                new Command.Configure(
                        "",
                        Map.of(),
                        "t",
                        1,
                        200_000,
                        16,
                        Scenario.WORK,
                        Map.of(),
                        Map.of(PassOptions.ORDERING, "none"),
                        100),
                new Command.Start("g", 100_000, 60));
        for (long number = 0; number <= 100_000; number++) {
            if (number != 20_000) {
                pass.deliveredConcurrently(0, null, pass.value(number));
            }
        }
        assertThat(pass.result().ledger().missing()).isOne();
    }

    /** Many other records finish while a failed record waits for its next call. The failed record is not missing. */
    @Test
    void cutOffAmidUnorderedWork_doesNotMissWhatWaitsToBeCalledAgain_howeverFarBehind() {
        Map<String, String> options = Map.of(PassOptions.ORDERING, "none", Failures.SHARE, "0.9");
        Pass pass = new Pass(
                new Command.Configure("", Map.of(), "t", 1, 200_000, 16, Scenario.WORK, Map.of(), options, 100),
                new Command.Start("g", 100_000, 60));
        long failing = 0;
        while (Failures.of(0.9, 0, failing) == 0) {
            failing++;
        }
        byte[] value = pass.value(failing);
        assertThatThrownBy(() -> pass.attempted(0, value)).isInstanceOf(HandlerFailure.class);
        for (long number = 0; number <= 100_000; number++) {
            if (number != failing) {
                pass.deliveredConcurrently(0, null, pass.value(number));
            }
        }
        assertThat(pass.result().ledger().missing()).isZero();
    }

    @Test
    void cutOffAmidAPartition_missesWhatWasSkipped() {
        Pass pass = pass(Scenario.WORK, Map.of(PassOptions.ORDERING, "partition"));
        for (long number = 1; number <= 900; number++) {
            pass.deliveredConcurrently(0, null, pass.value(number));
        }
        assertThat(pass.result().ledger().missing()).isOne();
    }

    /** A share group delivers at least once and unordered: repeats are counted, and a missing record is a fault. */
    @Test
    void shareGroup_mayDeliverAgainInAnyOrder_butMustDeliverAll() {
        Pass pass = shareGroup(4);
        for (long number : new long[] {3, 0, 0, 1, 3}) {
            pass.deliveredConcurrently(0, null, pass.value(number));
        }
        assertThat(pass.isDone()).as("three of four came, however often").isFalse();
        pass.deliveredConcurrently(0, null, pass.value(2));
        Report.Passed passed = pass.result();
        assertThat(passed.records()).isEqualTo(4);
        LedgerFigures ledger = passed.ledger();
        assertThat(ledger.redelivered()).isEqualTo(2);
        assertThat(ledger.duplicates()).isZero();
        assertThat(ledger.isBroken()).isFalse();
    }

    @Test
    void shareGroup_thatLosesARecord_isBroken() {
        Pass pass = shareGroup(100_001);
        for (long number = 0; number <= 100_001; number++) {
            if (number != 20_000) {
                pass.deliveredConcurrently(0, null, pass.value(number));
            }
        }
        LedgerFigures ledger = pass.result().ledger();
        assertThat(ledger.missing()).isOne();
        assertThat(ledger.isBroken()).isTrue();
    }

    /** A share group acquires at most one batch more than a partition has locks. */
    @Test
    void shareGroup_thatLosesARecord_isBroken_asSoonAsItCannotBeUnderWay() {
        assertThat(missingBehind(1000, Map.of(ShareOptions.LOCKS, "500"))).isOne();
        assertThat(missingBehind(999, Map.of(ShareOptions.LOCKS, "500"))).isZero();
        assertThat(missingBehind(4000, Map.of())).as("the brokers' locks").isOne();
        assertThat(missingBehind(3999, Map.of())).isZero();
        Map<String, String> batches = Map.of(ShareOptions.LOCKS, "500", ShareOptions.BATCH_RECORDS, "300");
        assertThat(missingBehind(1300, batches)).isOne();
        assertThat(missingBehind(1299, batches)).isZero();
    }

    /**
     * Returns the number of missing records in a pass that delivers all records up to {@code last} except the first
     * one.
     */
    private static long missingBehind(long last, Map<String, String> options) {
        Pass pass = shareGroup(last, options);
        for (long number = 1; number <= last; number++) {
            pass.deliveredConcurrently(0, null, pass.value(number));
        }
        return pass.result().ledger().missing();
    }

    private static Pass shareGroup(long records) {
        return shareGroup(records, Map.of());
    }

    private static Pass shareGroup(long records, Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put(PassOptions.ORDERING, "none");
        return new Pass(
                new Command.Configure(
                        "h:1",
                        Map.of(),
                        "t",
                        1,
                        200_000,
                        16,
                        Scenario.WORK,
                        Map.of("isolation.level", "read_committed", "max.poll.records", "7"),
                        all,
                        100),
                new Command.Start("g", records, 60),
                GroupType.SHARE);
    }

    /** A share consumer refuses settings such as {@code isolation.level}, because they belong to the group. */
    @Test
    void shareConfig_leavesTheGroupsSettingsOut() {
        assertThat(shareGroup(1)
                        .clientConfig()
                        .share(Map.of("max.poll.records", "1", "share.acquire.mode", "record_limit")))
                .containsEntry("group.id", "g")
                .containsEntry("bootstrap.servers", "h:1")
                .containsEntry("max.poll.records", "7")
                .containsEntry("share.acquire.mode", "record_limit")
                .doesNotContainKeys("isolation.level", "auto.offset.reset", "enable.auto.commit");
    }

    private static Pass pass(Scenario scenario, Map<String, String> options) {
        return new Pass(
                new Command.Configure("", Map.of(), "t", 1, 1000, 16, scenario, Map.of(), options, 100),
                new Command.Start("g", scenario == Scenario.CONSUME ? 0 : 900, 60));
    }

    private static void deliver(Pass pass, long records) {
        for (long number = 0; number < records; number++) {
            pass.delivered(0, number, 0, 16);
        }
    }
}
