package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionSpreadTest {

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 1, 3})
    void partitions_haveTheirShares_afterAnyNumberOfRecords(double skew) {
        int partitions = 7;
        double[] shares = PartitionSpread.shares(partitions, skew);
        PartitionSpread spread = new PartitionSpread(partitions, skew);
        long[] counts = new long[partitions];
        for (int records = 1; records <= 10_000; records++) {
            counts[spread.next()]++;
            for (int partition = 0; partition < partitions; partition++) {
                assertThat((double) counts[partition]).isCloseTo(records * shares[partition], within(3.0));
            }
        }
    }

    @Test
    void evenSpread_goesRound() {
        PartitionSpread spread = new PartitionSpread(3, 0);
        assertThat(new int[] {spread.next(), spread.next(), spread.next(), spread.next()})
                .containsExactly(0, 1, 2, 0);
    }
}
