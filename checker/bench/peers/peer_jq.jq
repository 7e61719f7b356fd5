# The tables in jq: one object has the state of every instance, and of an illegal one also that it is.
#
#     jq -n --slurpfile tables tables.json -f peer_jq.jq avatar.jsonl
#
# jq changes an object in place only while nothing else holds it: so the object is flat, and neither `//` nor `=` touches
# it, which would hold it for a way back and make every step copy the whole.
($tables[0]
  | map_values({
      initial,
      key: (.keys[0] // null),
      moves: (reduce .moves[] as [$source, $event, $target] ({}; .[$source + " " + $event] = $target))
    })) as $machines
| reduce (inputs | select(.machine)) as $line ({illegal: 0};
    $machines[$line.machine] as $machine
    | ($line.session + " " + $line.machine
        + (if $machine.key then " " + $line[$machine.key] else "" end)) as $instance
    | $machine.moves[(if has($instance) then .[$instance] else $machine.initial end) + " " + $line.event] as $target
    | if $target then setpath([$instance]; $target)
      elif .["! " + $instance] then .
      else setpath(["! " + $instance]; true) | setpath(["illegal"]; .illegal + 1)
      end)
| {illegal}
