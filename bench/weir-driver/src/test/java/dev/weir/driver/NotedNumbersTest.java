package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotedNumbersTest {
    private static final String RECORDS = "1000";

    @TempDir
    Path folder;

    /** Returns the output of the process that prints the file, as a shell receives it. */
    private static String printed(Path file) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            NotedNumbers.main(file.toString(), "2", RECORDS);
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whatWasNoted_isToldInFull_andItsFileGoes() throws Exception {
        Path file = folder.resolve("1");
        GroupNumbers noted = GroupNumbers.in(file, 2, Long.parseLong(RECORDS));
        for (int number = 60; number < 70; number++) {
            assertThat(noted.came(0, number)).isTrue();
        }
        assertThat(noted.came(1, 999)).isTrue();
        assertThat(noted.came(1, 999)).isFalse();
        NotedNumbers read = NotedNumbers.printed("Welcome to h1: {today}\n" + printed(file));
        assertThat(read.partitions())
                .extracting(NumberRuns::decoded)
                .extracting(NumberRuns::toString)
                .containsExactly("60..69", "999..999");
        assertThat(read.again()).containsExactly(0L, 1L);
        assertThat(file).doesNotExist();
    }

    @Test
    void whatIsNone_isRefused() {
        assertThatThrownBy(() -> NotedNumbers.printed("Welcome to h1\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it reported no numbers of records: Welcome to h1");
        assertThatThrownBy(() -> NotedNumbers.printed("{\"partitions\":[\"eJ"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it reported invalid numbers of records");
    }
}
