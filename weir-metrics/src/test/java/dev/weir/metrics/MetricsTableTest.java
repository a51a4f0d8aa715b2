package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the table of {@code docs/reference/metrics.md} has exactly one row per meter. */
class MetricsTableTest {

    static final Path PAGE = Path.of(System.getProperty("weir.root"), "docs/reference/metrics.md");

    @Test
    void table_ofThePage_isThatOfTheCode() throws IOException {
        List<String> rows = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `weir."))
                .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(rowsOfCode());
    }

    /** Returns the page's rows. Meters that differ only in a fixed tag have a common row. */
    static Set<String> rowsOfCode() {
        Set<String> rows = new LinkedHashSet<>();
        for (PipelineMeters.Kind kind : PipelineMeters.ALL) {
            for (MeterSpec<?> meter : kind.meters()) {
                List<String> tags = new ArrayList<>(kind.tags());
                tags.addAll(meter.fixedKeys());
                rows.add("| `" + meter.name() + "` | `" + meter.prometheusName() + "` | "
                        + meter.kind().name().toLowerCase(Locale.ROOT) + " | " + meter.unit() + " | "
                        + String.join(", ", tags) + " | " + meter.description() + " |");
            }
        }
        return rows;
    }
}
