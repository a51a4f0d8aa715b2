package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.weir.bench.RunFailure;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CopiedRecordsTest {

    @Test
    void eachOnce_isWhole() {
        assertThat(ledger("at-least-once", 3, 0, 1, 2)).isEqualTo(new LedgerFigures(3, 0, 0, 0, 0));
    }

    @Test
    void holeBeforeWhatIsWritten_isMissing() {
        assertThat(ledger("at-least-once", 0, 0, 2).missing()).isEqualTo(1);
    }

    /** A record is missing if it was committed but not written, even if it is the last one. */
    @Test
    void committedAndNotWritten_isMissing() {
        assertThat(ledger("at-least-once", 3, 0, 1).missing()).isEqualTo(1);
        assertThat(ledger("exactly-once", 3, 0, 1).missing()).isEqualTo(1);
    }

    @Test
    void writtenAndNotCommitted_comesAgain_atLeastOnceOnly() {
        assertThat(ledger("at-least-once", 1, 0, 1, 2).isBroken()).isFalse();
        assertThatThrownBy(() -> ledger("exactly-once", 1, 0, 1, 2))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("partition 0 is written up to offset 3, and committed up to 1");
    }

    @Test
    void writtenTwice_isAllowedAtLeastOnceOnly() {
        LedgerFigures atLeast = ledger("at-least-once", 3, 0, 1, 2, 1, 2);
        assertThat(atLeast.redelivered()).isEqualTo(2);
        assertThat(atLeast.isBroken()).isFalse();
        LedgerFigures exactly = ledger("exactly-once", 3, 0, 1, 2, 1, 2);
        assertThat(exactly.duplicates()).isEqualTo(2);
        assertThat(exactly.isBroken()).isTrue();
    }

    @Test
    void overtaken_isOutOfOrder() {
        assertThat(ledger("at-least-once", 3, 1, 0, 2).reordered()).isEqualTo(1);
    }

    @Test
    void inAnotherPartition_orWithANumberThatNobodyWrote_isForeign() {
        CopiedRecords copied = new CopiedRecords(point("at-least-once"), new long[] {3, 3}, new long[2]);
        copied.add(1, value(0, 0), 1);
        copied.add(0, value(0, 3), 1);
        copied.add(0, new byte[0], 1);
        assertThat(copied.ledger().foreign()).isEqualTo(3);
    }

    /** Planned records store their partition after the time. */
    @Test
    void recordOfAPlan_isKnownByItsPartitionBehindTheTime() {
        WorkloadPoint planned = Workload.parse(
                        "test",
                        "name: t\nscenario: copy\ndrivers: [plain]\ntopic: {partitions: 2, recordsPerSecond: 5}",
                        false)
                .points()
                .getFirst();
        CopiedRecords copied = new CopiedRecords(planned, new long[] {2, 1}, new long[] {2, 1});
        ByteBuffer value = ByteBuffer.allocate(20).putLong(0).putLong(77).putInt(1);
        copied.add(1, value.array(), 1);
        copied.add(0, value.array(), 1);
        copied.add(0, value(0, 0), 1);
        assertThat(copied.ledger()).isEqualTo(new LedgerFigures(1, 2, 0, 0, 2));
    }

    @Test
    void time_isThatOfTheLog_andRecordsCountOnce() {
        CopiedRecords copied = new CopiedRecords(point("at-least-once"), new long[] {3, 3}, new long[2]);
        copied.add(0, value(0, 0), 5_000);
        copied.add(0, value(0, 1), 5_030);
        copied.add(0, value(0, 1), 5_040);
        Report.Passed passed = copied.figures(said(5_010));
        assertThat(passed.nanos()).isEqualTo(40_000_000);
        assertThat(passed.records()).isEqualTo(2);
        assertThat(passed.bytes()).isEqualTo(3 * 16);
    }

    @Test
    void time_beginsWithWhatIsTaken_ifNothingIsWrittenSooner() {
        CopiedRecords copied = new CopiedRecords(point("at-least-once"), new long[] {3, 3}, new long[2]);
        copied.add(0, value(0, 0), 5_000);
        copied.add(0, value(0, 1), 5_030);
        assertThat(copied.figures(said(4_900)).nanos()).isEqualTo(130_000_000);
    }

    @Test
    void partitionWithoutMarkers_isAFailure_exactlyOnceOnly() {
        CopiedRecords atLeast = new CopiedRecords(point("at-least-once"), new long[] {3, 3}, new long[2]);
        atLeast.add(0, value(0, 0), 1);
        atLeast.endsAt(0, 1);
        assertThat(atLeast.figures(said(1)).client()).isEmpty();
        CopiedRecords exactly = new CopiedRecords(point("exactly-once"), new long[] {3, 3}, new long[] {1, 0});
        exactly.add(0, value(0, 0), 1);
        exactly.endsAt(1, 0);
        assertThatThrownBy(() -> exactly.endsAt(0, 1))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("partition 0 of its output was written without transactions");
    }

    @Test
    void markers_areTold_ofThePartitionWithTheMost() {
        CopiedRecords copied = new CopiedRecords(point("exactly-once"), new long[] {3, 3}, new long[] {1, 1});
        copied.add(0, value(0, 0), 1);
        copied.add(1, value(1, 0), 1);
        copied.endsAt(0, 4);
        copied.endsAt(1, 2);
        assertThat(copied.figures(said(1)).client())
                .containsExactly(entry("output: transaction markers of a partition", 3.0));
    }

    @Test
    void nothing_isAFailure() {
        CopiedRecords copied = new CopiedRecords(point("at-least-once"), new long[] {3, 3}, new long[2]);
        assertThatThrownBy(() -> copied.figures(said(1)))
                .isInstanceOf(RunFailure.class)
                .hasMessage("it has written nothing, and taken 3 records");
    }

    private static Report.Passed said(long firstMillis) {
        Usage none = new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0);
        return new Report.Passed(
                true, 3, 48, 1, 1, firstMillis, none, new LedgerFigures(3, 0, 0, 0, 0), Map.of(), HandlerTime.NONE);
    }

    /** Returns the delivery counts of three records of partition 0, in the order in which they were written. */
    private static LedgerFigures ledger(String guarantee, long committed, long... written) {
        CopiedRecords copied = new CopiedRecords(point(guarantee), new long[] {3, 3}, new long[] {committed, 0});
        for (long number : written) {
            copied.add(0, value(0, number), 1);
        }
        return copied.ledger();
    }

    private static byte[] value(long partition, long number) {
        return ByteBuffer.allocate(16).putLong(number).putLong(partition).array();
    }

    private static WorkloadPoint point(String guarantee) {
        return Workload.parse("test", """
                        name: test
                        scenario: copy
                        drivers: [plain]
                        topic: {partitions: 2, records: 6}
                        options: {guarantee: GUARANTEE}
                        """.replace("GUARANTEE", guarantee), false)
                .points()
                .get(0);
    }
}
