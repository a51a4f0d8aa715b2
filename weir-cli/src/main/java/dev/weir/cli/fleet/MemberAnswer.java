package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a member, or the reason why there is none. Immutable.
 *
 * @param state the console's state; null if it does not answer
 * @param reason why it does not answer, for people; null if it does
 */
record MemberAnswer(
        MemberAddress address,
        @Nullable JsonNode state,
        @Nullable String reason) {

    static MemberAnswer silent(MemberAddress address, String reason) {
        return new MemberAnswer(address, null, reason);
    }
}
