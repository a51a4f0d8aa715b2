package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PartitionTurnsTest {

    private final Pass pass = new Pass(
            new Command.Configure("", Map.of(), "t", 3, 2, 16, Scenario.FLOW_CONTROL, Map.of(), Map.of(), 100),
            new Command.Start("g", 0, 60));
    private final PartitionTurns turns = new PartitionTurns(pass);

    @Test
    void partitionWithoutRecordsLeft_hasNoTurn() {
        turns.delivered(1);
        turns.delivered(1);
        for (int i = 0; i < 100; i++) {
            assertThat(turns.next()).isIn(0, 2);
        }
    }

    @Test
    void recordOfAPausedPartition_isCounted_butNotBeforeItWasPaused() {
        int turn = turns.next();
        turns.delivered((turn + 1) % 3);
        turns.othersArePaused();
        turns.delivered(turn);
        assertThat(pass.figures()).containsEntry(PartitionTurns.STRAYS, 0.0);
        turns.delivered((turn + 1) % 3);
        assertThat(pass.figures()).containsEntry(PartitionTurns.STRAYS, 1.0);
    }

    @Test
    void whenNothingIsLeft_thereIsNoTurn() {
        for (int partition = 0; partition < 3; partition++) {
            turns.delivered(partition);
            turns.delivered(partition);
        }
        assertThat(turns.next()).isEqualTo(-1);
    }
}
