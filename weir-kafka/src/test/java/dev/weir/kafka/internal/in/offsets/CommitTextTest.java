package dev.weir.kafka.internal.in.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.BitSet;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommitTextTest {

    private static final int LIMIT = 4096;
    private static final int TEXTS = 1_000;

    /** Heap size of a String object, and of the header and padding of its array. */
    private static final int STRING_BYTES = 24 + 16 + 7;

    /** Heap size of a checksum object, unless the compiler eliminates it. */
    private static final int CHECKSUM_BYTES = 24;

    private static FinishedSet setOf(long base, BitSet offsets) {
        FinishedSet.Builder builder = new FinishedSet.Builder();
        for (int from = offsets.nextSetBit(0); from >= 0; from = offsets.nextSetBit(from)) {
            int to = offsets.nextClearBit(from);
            builder.add(base + from, base + to);
            from = to;
        }
        return builder.build();
    }

    private static BitSet draw(Random random) {
        BitSet offsets = new BitSet();
        int size = random.nextInt(random.nextBoolean() ? 200 : 30_000);
        int density = 1 + random.nextInt(100);
        for (int i = 0; i < size; i++) {
            if (random.nextInt(100) < density) {
                offsets.set(i);
            }
        }
        return offsets;
    }

    @Test
    void set_anyThatFits_comesBackAsItWas_othersLoseTheirFarEnd() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            long base = random.nextInt(4) == 0 ? 0 : random.nextLong(Long.MAX_VALUE / 2);
            BitSet offsets = draw(random);
            FinishedSet finished = setOf(base, offsets);
            String user = random.nextBoolean() ? "" : "a:b" + random.nextInt();
            int limit = random.nextInt(10) == 0 ? 40 + random.nextInt(100) : LIMIT;
            String text = CommitText.encode(base, finished, user, limit);
            assertThat(text.length()).as("seed %s", seed).isLessThanOrEqualTo(limit);
            CommitText back = CommitText.decode(base, text);
            assertThat(back.userText()).as("seed %s", seed).isEqualTo(user);
            int kept = back.finished().runs();
            BitSet expected = (BitSet) offsets.clone();
            if (kept < finished.runs()) {
                expected.clear(kept == 0 ? 0 : (int) (finished.to(kept - 1) - base), offsets.length());
                assertThat(text.length()).as("seed %s uses its room", seed).isGreaterThan(limit * 3 / 4 - 40);
            }
            assertThat(back.finished()).as("seed %s", seed).isEqualTo(setOf(base, expected));
            for (int i = 0; i < 50; i++) {
                int at = random.nextInt(offsets.length() + 2);
                assertThat(back.finished().contains(base + at))
                        .as("seed %s offset %s", seed, at)
                        .isEqualTo(expected.get(at));
            }
        }
    }

    @Test
    void set_everyOtherOfTwentyThousand_fits() {
        Random random = new Random(1);
        BitSet offsets = new BitSet();
        for (int i = 1; i < 20_000; i++) {
            offsets.set(i, random.nextBoolean());
        }
        FinishedSet finished = setOf(0, offsets);
        FinishedSet back =
                CommitText.decode(0, CommitText.encode(0, finished, "", LIMIT)).finished();
        assertThat(back.runs()).isEqualTo(finished.runs());
    }

    @Test
    void nothingToSay_isEmpty() {
        assertThat(CommitText.encode(5, FinishedSet.EMPTY, "", LIMIT)).isEmpty();
        assertThat(CommitText.decode(5, "").finished().isEmpty()).isTrue();
        assertThat(CommitText.encode(5, FinishedSet.EMPTY, "host", LIMIT)).isEqualTo("weir1::host");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host-7",
                "weir2:AAAA:",
                "weir1:",
                "weir1:AA:",
                "weir1:====:",
                "weir1:AAAAAAA:x",
                "weir1:AgAAAAAB:"
            })
    void decode_foreignText_isRefusedWithAReason(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitText.decode(5, text))
                .withMessageMatching(".+");
    }

    @Test
    void decode_ofAnotherOffset_isRefused() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(7, 9);
        String text = CommitText.encode(5, finished.build(), "", LIMIT);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitText.decode(6, text))
                .withMessageContaining("another offset");
    }

    @Test
    void decode_ofAnyDamage_isRefusedOrHarmless() {
        for (long seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            FinishedSet finished = setOf(9, draw(random));
            StringBuilder text = new StringBuilder(CommitText.encode(9, finished, "", LIMIT));
            if (text.isEmpty()) {
                continue;
            }
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
            }
            try {
                CommitText read = CommitText.decode(9, text.toString());
                for (int run = 0; run < read.finished().runs(); run++) {
                    assertThat(finished.contains(read.finished().from(run)))
                            .as("seed %s", seed)
                            .isTrue();
                }
            } catch (IllegalArgumentException refused) {
                assertThat(refused).as("seed %s", seed).hasMessageMatching("(?s).+");
            }
        }
    }

    @Test
    void startSize_isNotedInFrontOfAnySetAndText() {
        FinishedSet.Builder runs = new FinishedSet.Builder();
        runs.add(12, 15);
        FinishedSet set = runs.build();
        for (String text : new String[] {"", "mine: n7.x", ".:"}) {
            for (FinishedSet finished : new FinishedSet[] {FinishedSet.EMPTY, set}) {
                String bare = CommitText.encode(10, finished, text, 200);
                String noted = CommitText.withStartSize(bare, 12, 200);
                assertThat(CommitText.startSize(noted)).isEqualTo(12);
                assertThat(CommitText.startSize(bare)).isEqualTo(CommitText.NO_SIZE);
                CommitText read = CommitText.decode(10, noted);
                assertThat(read.userText()).isEqualTo(text);
                assertThat(read.finished().runs()).isEqualTo(finished.runs());
            }
        }
    }

    @Test
    void startSize_withoutRoomOrOfAForeignText_isNotThere() {
        assertThat(CommitText.withStartSize("", 12, 5)).isEmpty();
        assertThat(CommitText.withStartSize("", CommitText.NO_SIZE, 100)).isEmpty();
        for (String foreign : new String[] {"", "n12.", "weir1", "weir1:", "weir1:n", "weir1:nx.:", "weir1:.:"}) {
            assertThat(CommitText.startSize(foreign)).as(foreign).isEqualTo(CommitText.NO_SIZE);
        }
    }

    @Test
    void topicId_besideASetAStartSizeAndAUsersText_comesBackForItsOffsetOnly() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(7, 9);
        Uuid id = Uuid.randomUuid();
        String text = CommitText.encode(5, finished.build(), "a.b:c", CommitText.roomBesideTopicId(LIMIT));
        String noted = CommitText.withStartSize(CommitText.withTopicId(text, id, 5, LIMIT), 12, LIMIT);
        assertThat(CommitText.topicId(5, noted)).isEqualTo(id);
        assertThat(CommitText.topicId(6, noted)).isNull();
        assertThat(CommitText.startSize(noted)).isEqualTo(12);
        assertThat(CommitText.decode(5, noted).finished().contains(8)).isTrue();
        assertThat(CommitText.decode(5, noted).userText()).isEqualTo("a.b:c");
        assertThat(CommitText.topicId(5, text)).isNull();
        assertThat(CommitText.topicId(5, "")).isNull();
        assertThat(CommitText.topicId(5, "weir1:t:")).isNull();
        assertThat(CommitText.topicId(5, "somebody else's t.")).isNull();
    }

    // Regression: an id that cannot be read failed the run.
    @Test
    void topicId_ofInvalidCharacters_isIgnored() {
        String noted = CommitText.withTopicId("", "!".repeat(22), 5, LIMIT);
        assertThat(CommitText.topicId(5, noted)).isNull();
    }

    @Test
    void topicId_withoutRoomForIt_isLeftOut() {
        String alone = CommitText.withTopicId("", Uuid.randomUuid().toString(), 5, 37);
        assertThat(alone).hasSize(37);
        assertThat(CommitText.topicId(5, alone)).isNotNull();
        assertThat(CommitText.withTopicId("", Uuid.randomUuid().toString(), 5, 36))
                .isEmpty();
    }

    @Test
    void set_thatDoesNotBecomeSmaller_comesBackAsItWas() {
        Random random = new Random(7);
        FinishedSet.Builder builder = new FinishedSet.Builder();
        long at = 0;
        for (int run = 0; run < 60; run++) {
            at += 1 + random.nextLong(1L << 50);
            long from = at;
            at += 1 + random.nextLong(1L << 50);
            builder.add(from, at);
        }
        FinishedSet finished = builder.build();
        String text = CommitText.encode(0, finished, "", LIMIT);
        assertThat(CommitText.decode(0, text).finished()).isEqualTo(finished);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 6, 7, 8, 10, 11, 14, 15, 16, 20})
    void emptySet_isNotWritten_howeverLittleRoomThereIs(int maxChars) {
        assertThat(CommitText.encode(5, FinishedSet.EMPTY, "", maxChars)).isEmpty();
        assertThat(CommitText.encode(5, FinishedSet.EMPTY, "user", maxChars))
                .isEqualTo(maxChars < CommitText.OVERHEAD_CHARS + 4 ? "" : "weir1::user");
    }

    @Test
    void roomBesideATopicId_isWhatItsNoteLeaves_orAllIfThatHasNoRoom() {
        assertThat(CommitText.roomBesideTopicId(36)).isEqualTo(36);
        assertThat(CommitText.roomBesideTopicId(37)).isEqualTo(CommitText.OVERHEAD_CHARS);
        assertThat(CommitText.roomBesideTopicId(LIMIT)).isEqualTo(LIMIT - 30);
        String note = CommitText.withTopicId("", Uuid.ONE_UUID.toString(), 5, 37);
        assertThat(note).hasSize(37);
        assertThat(CommitText.withTopicId("", Uuid.ONE_UUID.toString(), 5, 36)).isEmpty();
    }

    /** The limit equals the text's length, and the set is a multiple of three bytes. */
    @Test
    void set_thatFitsExactly_isWrittenWhole() {
        int exact = 0;
        for (int runs = 1; runs < 100; runs++) {
            BitSet offsets = new BitSet();
            for (int run = 0; run < runs; run++) {
                offsets.set(3 * run + 1, 3 * run + 3);
            }
            FinishedSet finished = setOf(0, offsets);
            String text = CommitText.encode(0, finished, "", LIMIT);
            if (CommitText.setOf(text).length() % 4 == 0) {
                exact++;
                assertThat(CommitText.encode(0, finished, "", text.length())).isEqualTo(text);
            }
            assertThat(CommitText.decode(0, CommitText.encode(0, finished, "", text.length() - 1))
                            .finished()
                            .runs())
                    .isLessThan(runs);
        }
        assertThat(exact).isPositive();
    }

    @Test
    void setOfAText_isThePartBetweenPrefixAndUsersText() {
        assertThat(CommitText.setOf("")).isEmpty();
        assertThat(CommitText.setOf("weir1::user")).isEmpty();
        assertThat(CommitText.setOf("weir1:AAEC:a:b")).isEqualTo("AAEC");
    }

    /** The format and the checksum alone take five bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"weir1:AAAAAA:", "weir1:AAAAAAA:", "weir1:AAAA"})
    void decode_withoutASet_isRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommitText.decode(5, text))
                .withMessage("it is cut off");
    }

    @Test
    void startSize_ofZero_isNoted_whereItFitsExactly() {
        assertThat(CommitText.withStartSize("", 0, LIMIT)).isEqualTo("weir1:n0.:");
        assertThat(CommitText.withStartSize("", 0, 10)).isEqualTo("weir1:n0.:");
        assertThat(CommitText.withStartSize("", 0, 9)).isEmpty();
        assertThat(CommitText.startSize("weir1:n0.:")).isZero();
    }

    @Test
    void notes_atOneGo_areThoseOneAfterTheOther() {
        Random random = new Random(5);
        byte[] scratch = new byte[CommitText.NOTES_CHARS];
        for (int i = 0; i < 2_000; i++) {
            String id = Uuid.randomUuid().toString();
            long committed = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
            int size = random.nextInt(4) == 0
                    ? CommitText.NO_SIZE
                    : random.nextInt(Integer.MAX_VALUE) >>> random.nextInt(31);
            int maxChars = random.nextInt(2) == 0 ? LIMIT : random.nextInt(60);
            String inTurn =
                    CommitText.withStartSize(CommitText.withTopicId("", id, committed, maxChars), size, maxChars);
            assertThat(CommitText.notes(id, size, committed, maxChars, scratch)).isEqualTo(inTurn);
        }
    }

    @Test
    void notes_allocateOnlyTheText() {
        String id = Uuid.randomUuid().toString();
        byte[] scratch = new byte[CommitText.NOTES_CHARS];
        assertThat(notedChars(id, scratch)).isPositive(); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long chars = notedChars(id, scratch);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThanOrEqualTo(chars + TEXTS * (STRING_BYTES + CHECKSUM_BYTES));
    }

    private static long notedChars(String id, byte[] scratch) {
        long chars = 0;
        for (int i = 0; i < TEXTS; i++) {
            chars += CommitText.notes(id, 6, i, LIMIT, scratch).length();
        }
        return chars;
    }
}
