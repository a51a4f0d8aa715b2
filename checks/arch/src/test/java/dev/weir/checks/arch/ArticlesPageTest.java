package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the page about the five articles has no empty cell, and states its number of open questions. */
class ArticlesPageTest {
    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path PAGE = ROOT.resolve("docs/benchmarks/articles.md");
    private static final String OPEN = "`OPEN`";
    private static final Pattern COUNT = Pattern.compile("\\*\\*Open rows: (\\d+) of (\\d+)\\.\\*\\*");
    private static final Pattern WORKLOAD = Pattern.compile("workloads/[\\w/-]+\\.yaml");
    private static final int COMMAND = 3;

    @Test
    void rows_haveNoEmptyCell_andOpenOnesAreCounted() throws IOException {
        List<List<String>> rows = rows();
        assertThat(rows)
                .allSatisfy(row -> assertThat(row)
                        .hasSize(5)
                        .allSatisfy(cell -> assertThat(cell).as("%s", row).isNotBlank()));
        Matcher count = COUNT.matcher(Files.readString(PAGE));
        assertThat(count.find()).isTrue();
        long open = rows.stream().filter(row -> row.get(2).contains(OPEN)).count();
        assertThat(count.group(1) + " of " + count.group(2)).isEqualTo(open + " of " + rows.size());
    }

    @Test
    void commands_nameWorkloadsThatExist() throws IOException {
        assertThat(rows()).allSatisfy(row -> {
            assertThat(row.get(COMMAND)).startsWith("`").endsWith("`");
            Matcher workload = WORKLOAD.matcher(row.get(COMMAND));
            while (workload.find()) {
                assertThat(ROOT.resolve("bench").resolve(workload.group())).exists();
            }
        });
    }

    private static List<List<String>> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line ->
                        line.startsWith("| ") && !line.startsWith("| step or figure |") && !line.startsWith("|---"))
                .map(line -> Arrays.stream(line.strip().substring(1).split("\\|", -1))
                        .map(String::strip)
                        .toList())
                .map(cells -> cells.subList(0, cells.size() - 1))
                .toList();
    }
}
