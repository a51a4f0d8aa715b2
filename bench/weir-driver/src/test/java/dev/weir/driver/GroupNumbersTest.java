package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupNumbersTest {
    private static final long RECORDS = 100_000_000;

    @TempDir
    Path folder;

    private GroupNumbers mapped() {
        return GroupNumbers.in(folder.resolve("numbers"), 2, RECORDS);
    }

    @Test
    void whatOneMemberHad_anotherOneKnows() {
        GroupNumbers one = mapped();
        GroupNumbers other = mapped();
        assertThat(one.came(0, 63)).isTrue();
        assertThat(one.came(1, 64)).isTrue();
        assertThat(other.came(0, 63)).isFalse();
        assertThat(other.came(0, 64)).isTrue();
        assertThat(one.came()).isEqualTo(3);
        assertThat(one.again()).isOne();
        assertThat(other.missing(0, 66).stream().toArray())
                .isEqualTo(IntStream.range(0, 66)
                        .filter(number -> number != 63 && number != 64)
                        .toArray());
        assertThat(other.missing(1, 0).stream()).isEmpty();
    }

    @Test
    void numberThatNobodyWrote_isNotNoted_andTheLastOneIs() {
        GroupNumbers numbers = mapped();
        assertThat(numbers.came(0, -1)).isTrue();
        assertThat(numbers.came(0, RECORDS)).isTrue();
        assertThat(numbers.came()).isZero();
        assertThat(numbers.came(1, RECORDS - 1)).isTrue();
        assertThat(numbers.came()).isOne();
        assertThat(numbers.missing(1, RECORDS).get((int) RECORDS - 1)).isFalse();
    }

    @Test
    void figuresOfSeveralTopics_areOfEachToo() {
        GroupNumbers numbers = mapped();
        assertThat(numbers.came(0, 0)).isTrue();
        assertThat(numbers.came(1, 0)).isTrue();
        assertThat(numbers.came(1, 0)).isFalse();
        LedgerFigures none = new LedgerFigures(0, 0, 0, 0, 0);
        LedgerFigures figures = numbers.figures(LedgerFigures.ofTopics(List.of(none, none)), new long[] {3, 1});
        assertThat(figures.topics())
                .containsExactly(new LedgerFigures(1, 2, 0, 0, 0), new LedgerFigures(1, 0, 0, 0, 0, 0, 1));
        assertThat(figures.missing()).isEqualTo(2);
        assertThat(figures.redelivered()).isOne();
    }

    @Test
    void figures_haveWhatNobodyTold() {
        GroupNumbers numbers = mapped();
        for (int number = 0; number < 10; number++) {
            assertThat(numbers.came(0, number)).isTrue();
        }
        assertThat(numbers.came(0, 3)).isFalse();
        LedgerFigures told = new LedgerFigures(4, 9, 0, 0, 2, 5, 0);
        assertThat(numbers.figures(told, new long[] {12, 1})).isEqualTo(new LedgerFigures(10, 3, 0, 0, 2, 5, 1));
    }

    /** A member is killed before its pass ends. Its records must still be known. */
    @Test
    void killedProcess_leavesWhatItNoted() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Member.class.getName(),
                        folder.resolve("numbers").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).isEqualTo("noted");
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        GroupNumbers numbers = mapped();
        assertThat(numbers.missing(1, 1_000).stream()).isEmpty();
        assertThat(numbers.came()).isEqualTo(1_000);
        assertThat(numbers.came(1, 999)).isFalse();
    }

    /** A process that notes a thousand records and waits to be killed. */
    static final class Member {
        private Member() {}

        public static void main(String[] arguments) throws Exception {
            GroupNumbers numbers = GroupNumbers.in(Path.of(arguments[0]), 2, RECORDS);
            for (int number = 0; number < 1_000; number++) {
                if (!numbers.came(1, number)) {
                    throw new AssertionError("came before: " + number);
                }
            }
            System.out.println("noted");
            var unused = System.in.read(); // until it is killed
        }
    }
}
