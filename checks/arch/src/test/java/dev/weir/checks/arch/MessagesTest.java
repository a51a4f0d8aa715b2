package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.arch.Messages.Entry;
import dev.weir.checks.arch.Messages.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the guide has an entry for each message, in the words of the code, and that each entry matches a message.
 */
class MessagesTest {

    private static final Path INTERNAL =
            Path.of(System.getProperty("weir.root"), "checks/arch/src/test/resources/internal-messages.txt");

    private static List<Message> messages = List.of();
    private static List<Entry> entries = List.of();

    /** Scans all sources once, because a scan takes seconds. */
    @BeforeAll
    static void scan() throws IOException {
        messages = Messages.ofSources();
        entries = entriesOfPages();
    }

    /** A message that no user sees: its class, some of its words, and the reason. */
    private record Internal(String type, String words, String why) {

        boolean isOf(Message message) {
            return message.type().equals(type) && message.text().contains(words);
        }
    }

    @Test
    void messages_ofTheSources_haveAnEntry() throws IOException {
        List<Entry> known = new ArrayList<>(entries);
        known.addAll(Messages.entriesOf(Messages.symptoms()));
        List<Internal> internal = internal();
        assertThat(messages).as("the scan finds them").hasSizeGreaterThan(500);
        assertThat(messages.stream()
                        .filter(message -> known.stream().noneMatch(entry -> entry.isOf(message)))
                        .filter(message -> internal.stream().noneMatch(line -> line.isOf(message))))
                .as("without an entry in docs/guide/messages or a line in internal-messages.txt")
                .isEmpty();
    }

    @Test
    void entries_areOfAMessage_andNotOfAnyMessage() {
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.saysEnough()).as("%s has three words", entry).isTrue();
            assertThat(messages).as("%s", entry).anyMatch(entry::isOf);
        });
    }

    @Test
    void internalMessages_areThere_withAReason() throws IOException {
        assertThat(internal()).allSatisfy(known -> {
            assertThat(messages).as("%s", known).anyMatch(known::isOf);
            assertThat(known.why()).as("%s", known).isNotBlank();
        });
    }

    @Test
    void scan_ofPlantedCode_findsItsMessages() {
        List<Message> found = Messages.of("Planted", """
                throw new PlantedException("no \\"room\\" for " // a comment (with a parenthesis
                        + name(1) + ')' + " of " + "those", cause);
                LOG.warn("{} is gone now: {}", id, why.toString());
                throw new IllegalStateException(message);
                throw CliFailure.usage("two of one name", "");
                """);
        assertThat(found)
                .extracting(Message::text)
                .containsExactly("no \"room\" for ... of those...", "... is gone now: ...", "two of one name...");
        Message first = found.getFirst();
        assertThat(new Entry(Path.of("page"), "... for ... of those").isOf(first))
                .isTrue();
        assertThat(new Entry(Path.of("page"), "of those ... for").isOf(first)).isFalse();
        assertThat(new Entry(Path.of("page"), "of ... those").saysEnough()).isFalse();
        assertThat(new Entry(Path.of("page"), "no \"room\" for ... of tho...").isOf(first))
                .as("part of a word")
                .isFalse();
    }

    /** One message for both branches could match an entry that neither branch matches. */
    @Test
    void scan_ofAChoice_findsAMessageForEachWay() {
        assertThat(Messages.of("Planted", """
                        throw new PlantedException(isOpen ? "the door is open" + (wide ? ", and wide" : "") : "it is shut: " + why);
                        throw new PlantedException("what is said: " + switch (kind) {
                            case ONE -> "one of them";
                            default -> { yield other; }
                        });
                        throw new PlantedException("of the type " + Types.<String, ?>of(all) + " there is none");
                        """))
                .extracting(Message::text)
                .containsExactly(
                        "the door is open, and wide",
                        "the door is open",
                        "it is shut: ...",
                        "what is said: one of them",
                        "what is said: ...",
                        "of the type ... there is none");
    }

    @Test
    void scan_ofHelpers_findsWhatTheyMake() {
        assertThat(Messages.of("Planted", """
                        PlantedException(String name) {
                            super("nothing has the name " + name);
                        }
                        void refuse() {
                            String told = "what a variable tells: " + one;
                            if (isNew) {
                                throw refused(told, "a further word of " + more());
                            }
                            LOG.log(WARNING, () -> reason(2));
                        }
                        private static String reason(int number) {
                            return number == 1 ? "the first of all" : "not the first";
                        }
                        /** new PlantedException("only in a comment") */
                        String unused() {
                            return "no message of anybody";
                        }
                        """))
                .extracting(Message::text)
                .containsExactly(
                        "nothing has the name ...",
                        "...a further word of ...",
                        "what a variable tells: ...",
                        "the first of all",
                        "not the first");
    }

    private static List<Entry> entriesOfPages() throws IOException {
        List<Entry> all = new ArrayList<>();
        for (Path page : Messages.pages()) {
            all.addAll(Messages.entriesOf(page));
        }
        return all;
    }

    private static List<Internal> internal() throws IOException {
        return Files.readAllLines(INTERNAL).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" \\| ", -1))
                .map(fields -> new Internal(fields[0], fields[1], fields[2]))
                .toList();
    }
}
