package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchGroupsTest {

    /** Regression: if one share group could not be deleted, the groups after it were not deleted either. */
    @Test
    void deletions_afterOneThatFails_areStillRun() {
        List<String> deleted = new ArrayList<>();
        assertThatThrownBy(() -> BenchGroups.runAll(List.of(
                        () -> {
                            throw new BenchException("first");
                        },
                        () -> deleted.add("second"))))
                .hasMessage("first");
        assertThat(deleted).containsExactly("second");
    }
}
