package dev.weir.cli.fleet;

import dev.weir.cli.group.GroupSnapshot.GroupMember;
import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a member's console, or the reason why it is unknown. Immutable.
 *
 * @param console null if the member's client id does not contain a console's port
 * @param group the group in which the member was found; null if the user gave the address
 * @param clientId the member's client id; empty if the user gave the address
 * @param memberId the member's id in the group; empty if the user gave the address
 * @param whyNone the reason why there is no console; null if there is one
 */
record MemberAddress(
        @Nullable URI console,
        @Nullable String group,
        String clientId,
        String memberId,
        @Nullable String whyNone) {

    private static final Pattern PORT = Pattern.compile("(?:^|[^A-Za-z0-9])console-([0-9]{1,5})(?:-.*)?$");

    private static final int MAX_PORT = 65_535;

    static MemberAddress given(URI console) {
        return new MemberAddress(console, null, "", "", null);
    }

    /** Returns a console's address: the port in the member's client id, on the member's host. See ADR 241. */
    static MemberAddress of(GroupMember member, String group) {
        Matcher matcher = PORT.matcher(member.clientId());
        int port = matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
        if (port < 1 || port > MAX_PORT || member.host().isEmpty()) {
            return new MemberAddress(
                    null,
                    group,
                    member.clientId(),
                    member.id(),
                    "its client.id names no console: it was started without one, or client.id is set (it must end with"
                            + " .console-PORT)");
        }
        String host = member.host().contains(":") ? "[" + member.host() + "]" : member.host();
        return new MemberAddress(
                URI.create("http://" + host + ":" + port), group, member.clientId(), member.id(), null);
    }

    /** The distinct consoles of these addresses. */
    static Set<URI> consoles(Collection<MemberAddress> addresses) {
        Set<URI> consoles = new LinkedHashSet<>();
        for (MemberAddress each : addresses) {
            URI console = each.console();
            if (console != null) {
                consoles.add(console);
            }
        }
        return consoles;
    }

    /** Identity of a member. Several members of a group may share a console, so its address does not identify them. */
    String identity() {
        return group == null ? String.valueOf(console) : group + "\n" + memberId;
    }
}
