package dev.weir.bench.fill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValuesTest {

    @Test
    void plainValues_differInTheirNumberOnly() {
        Values values = new Values(100, false, 0);
        byte[] first = values.next(0);
        byte[] second = values.next(0x0102030405060708L);
        assertThat(ByteBuffer.wrap(second).getLong()).isEqualTo(0x0102030405060708L);
        assertThat(ByteBuffer.wrap(second).getLong(8)).as("no planned time").isZero();
        assertThat(first).hasSize(100);
        assertThat(Arrays.copyOfRange(second, 8, 100)).isEqualTo(Arrays.copyOfRange(first, 8, 100));
    }

    @Test
    void randomShare_isWhatDiffers_behindTheNumbers() {
        Values values = new Values(116, false, 0.5);
        byte[] first = values.next(0);
        byte[] second = values.next(0);
        assertThat(Arrays.mismatch(first, second)).isBetween(66, 68);
        assertThat(Arrays.equals(first, 108, 116, second, 108, 116)).isFalse();
    }

    @Test
    void spreadLengths_keepTheMean() {
        Values values = new Values(100, true, 1);
        int[] lengths = IntStream.range(0, 20_000)
                .map(number -> values.next(number).length)
                .sorted()
                .toArray();
        assertThat(Arrays.stream(lengths).average().orElseThrow()).isCloseTo(100, within(1.0));
        assertThat(lengths[0]).isEqualTo(16);
        assertThat(lengths[19_999]).isEqualTo(184);
    }

    @Test
    void mixedLengths_comeInTheirShares() {
        Values values = ofWorkload("valueSizes: 100:0.9 10000:0.1, valueRandom: 1");
        int[] lengths = IntStream.range(0, 20_000)
                .map(number -> values.next(number).length)
                .toArray();
        assertThat(Arrays.stream(lengths).distinct().sorted().toArray()).containsExactly(100, 10_000);
        assertThat(Arrays.stream(lengths).filter(length -> length == 10_000).count())
                .isBetween(1_800L, 2_200L);
    }

    @Test
    void linesOfAFile_comeOneAfterTheOther_behindTheirNumbers(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("lines.json"), "{\"a\":1}\n\n{\"b\":22}");
        Values values = ofWorkload("valueFile: " + file);
        byte[] third = values.next(2);
        assertThat(ByteBuffer.wrap(third).getLong()).isEqualTo(2);
        assertThat(new String(third, 16, third.length - 16, UTF_8)).isEqualTo("{\"b\":22}");
        assertThat(values.next(1)).as("an empty line is a value").hasSize(16);
        byte[] fourth = values.next(3);
        assertThat(new String(fourth, 16, fourth.length - 16, UTF_8)).isEqualTo("{\"a\":1}");
        assertThat(ByteBuffer.wrap(fourth).getLong()).isEqualTo(3);
    }

    /** Regression: the number of aborted records, -1, was used as an index. */
    @Test
    void abortedRecords_haveValuesOfTheFileToo(@TempDir Path folder) throws IOException {
        Values values = ofWorkload("valueFile: " + Files.writeString(folder.resolve("lines"), "a\nb\nc\n"));
        byte[] aborted = values.next(FillPlan.ABORTED);
        assertThat(ByteBuffer.wrap(aborted).getLong()).isEqualTo(FillPlan.ABORTED);
        assertThat(aborted).hasSize(17);
    }

    @Test
    void filesOfAFolder_areAValueEach_andNameTheirContent(@TempDir Path folder) throws IOException {
        Files.write(folder.resolve("b"), new byte[] {1, 2, '\n', 3});
        Files.write(folder.resolve("a"), new byte[] {9});
        Values values = ofWorkload("valueFile: " + folder);
        assertThat(values.next(0)).hasSize(17).endsWith(9);
        assertThat(values.next(1)).hasSize(20).endsWith(1, 2, '\n', 3);
        String before = ValueFile.read(folder).digest();
        Files.write(folder.resolve("a"), new byte[] {8});
        assertThat(ValueFile.read(folder).digest()).isNotEqualTo(before);
    }

    @Test
    void twoLines_areAnotherContentThanAFileOfTwoLines(@TempDir Path folder) throws IOException {
        Path lines = Files.writeString(folder.resolve("lines"), "one\ntwo");
        assertThat(ValueFile.read(lines).digest())
                .isNotEqualTo(ValueFile.read(folder).digest());
    }

    @Test
    void folderOfMoreThanFitsIntoMemory_isRefusedBeforeItIsRead(@TempDir Path folder) throws IOException {
        for (int i = 0; i < 540; i++) {
            try (RandomAccessFile hole =
                    new RandomAccessFile(folder.resolve("v" + i).toFile(), "rw")) {
                hole.setLength(1_000_000);
            }
        }
        assertThatThrownBy(() -> ValueFile.read(folder))
                .hasMessageContaining(
                        folder + ": a folder of values must be at most 536870912 bytes: it has 540000000");
    }

    @Test
    void fileWithoutAValue_orWithTooLongAOne_isRefused(@TempDir Path folder) throws IOException {
        assertThatThrownBy(() -> ValueFile.read(folder)).hasMessageContaining("holds no value");
        Path file = Files.write(folder.resolve("long"), new byte[1_000_001]);
        assertThatThrownBy(() -> ValueFile.read(file))
                .hasMessageContaining(file + ": line 1 must be at most 1000000 bytes: it has 1000001");
    }

    private static Values ofWorkload(String topic) {
        WorkloadPoint point = Workload.parse(
                        "w.yaml", "name: w\nscenario: consume\ndrivers: [plain]\ntopic: {" + topic + "}\n", false)
                .points()
                .get(0);
        Path file = point.valueFile();
        return Values.of(point, file == null ? null : ValueFile.read(file));
    }

    @Test
    void leastValue_hasNothingButItsNumbers() {
        assertThat(new Values(16, true, 1).next(7)).hasSize(16).endsWith(0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
